/**
 * Words that mean nearly the same in the descriptions of tools and in what users ask for. Each line is one group. A
 * phrase has `+` between its words. The groups are general: no name of a server or product belongs here.
 */
import { stemOf } from './words.js';

const actions = `
create make new add generate produce build begin start open draft set+up compose fresh
create post publish submit file report raise register insert
write save store put record append log
add append insert attach include push
delete remove drop erase discard destroy clear purge trash wipe get+rid+of throw+away unlink clean
update edit change modify alter adjust revise correct fix patch set amend rewrite
replace substitute swap exchange edit
rename move relocate retitle
move transfer shift relocate drag reorder put
copy duplicate clone fork replicate mirror
get fetch retrieve read obtain load show view display see look open give find+out tell check access
list show all enumerate browse overview see every which available display catalog
search find look+for locate lookup look+up query seek discover hunt match grep where filter
download fetch save pull grab get export
upload send push attach import transfer put
send deliver transmit post mail submit dispatch share message
receive get incoming inbox fetch
run execute launch perform start invoke trigger call kick+off do
start begin launch boot run turn+on bring+up open spin+up resume
stop end halt terminate kill cancel abort quit shut+down turn+off close finish interrupt
restart reboot reload refresh reset relaunch
pause suspend hold wait sleep
close shut dismiss end finish resolve quit
open launch show visit navigate go
install add setup set+up deploy provision
uninstall remove delete
upgrade update bump newer version
deploy release publish rollout roll+out ship
revert undo roll+back rollback reset restore take+back back+out go+back
restore recover undelete bring+back retrieve unarchive
archive store backup back+up
merge combine join integrate unite fold bring+together
split divide separate break+up break+down expand decompose
compare diff difference contrast versus changed
approve accept confirm allow permit agree
reject decline refuse deny dismiss
assign give delegate allocate
review inspect examine check assess look+over feedback
check verify validate test ensure confirm inspect lint status
analyze analyse examine study evaluate assess investigate inspect break+down diagnose
summarize summarise summary digest condense shorten overview brief
translate convert language
convert transform change turn+into export format translate
parse extract read scrape pull
extract pull scrape get harvest crawl
calculate compute sum add total count evaluate plus minus times multiply
count number total how+many amount size
measure size length weigh
sort order rank arrange
filter narrow restrict where
group cluster bucket collect category
select choose pick option
click press tap push hit
type enter fill input write key
hover point mouse over
scroll swipe
drag drop move
navigate go visit open browse page url website back forward
wait pause until appear
capture screenshot snapshot picture photo shot grab
record capture film
play watch listen
draw sketch paint illustrate visualize visualise render plot chart diagram picture graph figure drawing
format style layout pretty color colour
resize scale shrink enlarge dimension size window
crop cut trim
rotate renew turn
encrypt secure protect lock
decrypt unlock
hide conceal mask
sign authenticate log+in login sign+in authorize
logout sign+out log+out
share publish send link invite
invite add member
subscribe follow watch notify
unsubscribe unfollow
notify alert remind message
remind reminder
schedule plan book calendar appointment meeting
book reserve order
buy purchase order pay
pay charge payment bill
refund reimburse return
comment remark reply respond answer feedback note
reply respond answer
ask question query answer
answer reply respond
remember store memory recall save
recall remember memory
forget delete
mark flag label tag set
tag label mark category
link connect relate associate reference attach depend dependency
unlink disconnect detach
connect attach link join
pull fetch download latest sync
push upload publish send
sync synchronize refresh update
commit save check+in record snapshot
checkout switch branch check+out
stash shelve set+aside put+aside
expose forward port
monitor watch observe track follow metric
debug troubleshoot diagnose error problem
complete finish done close mark
prioritize priority urgent important
estimate effort size point
explain describe clarify documentation meaning
suggest recommend propose advise idea
recommend suggest proposal
simulate emulate pretend fake mock imitate
accept confirm ok
focus activate
enable activate turn+on switch+on allow
disable deactivate turn+off switch+off
configure setting set configuration option preference
import load bring+in
export save download output
print output log display show
apply use implement
inject pass provide supply
`;

const things = `
file document text path attachment
directory folder dir path tree
file directory content
content inside text body contained
image picture photo icon graphic bitmap screenshot media logo
video movie clip film
audio sound music song recording
media image photo video audio
size big large bytes length dimension
info information detail metadata detail about property fact
metadata info detail property
detail full complete info everything
config configuration setting preference option
environment variable env shell
variable parameter value
process program task job running application cpu
application app program software
terminal shell console command prompt
console log message output
command shell terminal cli script program
script program code command
output result printed response stdout
log history event record trail journal
history log previous past earlier recent commit
recent latest last newest current
latest newest recent last current
current now today present active
error bug failure problem issue exception crash broken wrong fault outage
issue bug ticket problem story task card report defect
ticket issue task story card
task todo job item ticket work story
subtask smaller step part
epic initiative theme
story ticket task card issue
sprint iteration cycle milestone week
milestone goal target release
status state health condition progress green passing
project workspace
repository repo codebase project source
branch line version
pull+request pr merge+request mr review
merge+request mr pr pull+request
commit change revision snapshot
diff change difference patch
review feedback comment opinion
comment remark note feedback thread discussion mention
discussion thread conversation comment
ci build pipeline check workflow
pipeline ci build workflow job
workflow automation pipeline process
release version tag
test spec check unit
code source program function implementation
symbol function class method definition
library package module dependency framework
package library module dependency
documentation docs reference manual guide help api tutorial
reference documentation docs
example sample snippet template
template blueprint boilerplate example
user person people account member colleague customer who everyone
member user person people colleague participant who
team group organization
organization company org team business structure
group collection team folder
owner author creator who
role permission right access
account profile user login
profile account user
password secret credential login passphrase key pin
secret password credential token key private
credential password secret login key
key token secret
login account credential password item
vault safe
random generated
email mail message inbox letter address
message chat text mail dm
channel room chat
contact person address phone
phone mobile telephone call
calendar event meeting schedule appointment agenda
event meeting calendar happening
meeting call conference event appointment minutes
date day time when
time clock date hour when now
timezone time zone
reminder alarm notification
notification alert message
document page doc note wiki text
page document doc site web website
note memo text entry page
paragraph block text section
block paragraph section content
section part heading block
title name heading
table spreadsheet sheet grid database column row
spreadsheet sheet excel workbook table cell
cell range sheet
column field attribute schema
field column input box property
row record entry line
schema structure column definition model
database db sql table data query
query sql question search
sql database query select
data record dataset value
chart graph plot diagram figure
diagram chart flowchart drawing schema figure
line+chart trend over+time month time+series
bar column chart
pie share proportion percent part percentage
share proportion percentage part fraction
percent percentage ratio proportion progress
trend time development over+time month history
funnel conversion stage drop+off
histogram distribution frequency bin often
distribution spread frequency statistics
scatter correlation correlate relationship
radar spider quality multidimensional dimension
heatmap density intensity
sankey flow
hierarchy tree nested structure organization
treemap rectangle hierarchy nested
cause effect root reason
mind idea brainstorm concept
boxplot quartile outlier spread
violin distribution
network graph node relation connection
node element point item
map geography place location route
location place address position where city
route direction way path navigation
place location spot restaurant store shop
store shop
weather forecast temperature rain climate
city town
country state nation
browser web page tab window site
tab window page
window browser screen viewport
element button link node component
button link element
link url address
url link address site web
website site web page url
dialog popup alert modal prompt
form field input sign+up
dropdown select option drop+down menu
menu option dropdown
option choice setting
screen display window
cookie session storage
network request http call traffic
request call http
api endpoint service http
server service host machine
service server deployment
container docker pod
pod container workload
cluster kubernetes node
deployment rollout service application
helm chart
namespace environment
resource object item
memory ram remember knowledge
knowledge memory fact graph
system computer machine host
computer system machine laptop
cpu processor system performance
disk storage drive space
performance speed slow fast metric
metric measure statistics number figure
statistics stats number metric figure analytics
price cost fee amount
cost price budget spend
budget spending money cost
money amount currency price
currency exchange money
invoice bill receipt
customer client user
product item article
order purchase
cart basket
recipe dish meal cook food
food meal dish dinner eat recipe
news article headline story
article post page
book publication
paper publication article research
research study investigate
web internet online
answer response result
result output answer outcome
list collection set
collection set group folder
item entry object thing element
entry item record page
label tag
tag label version
category type kind group
kind type category
color colour theme appearance style
style design look appearance
theme dark mode appearance
design figma layout mockup
layout design structure
component element part
dark theme scheme mode
light theme scheme mode
device phone mobile
language locale translation
text string content
string text
number integer digit value
json data object
csv table spreadsheet
markdown md text
pdf document
html page web
code snippet
line row
version release revision
backup copy
archive zip compressed
zip archive compress
job task run
queue waiting list
webhook callback
trigger event
rule policy
policy rule permission
feature functionality flag
experiment test trial
incident outage problem
production prod live
development dev local
local own machine
remote origin server
upstream remote
feedback opinion survey
survey questionnaire form
question ask problem
answer solution
solution fix answer
idea suggestion
plan roadmap schedule
next upcoming following
previous last before earlier back
first initial start
dependency depend order block
summary overview digest
report summary overview
dashboard overview
trace span request
stack trace
thought think reasoning
think thought reason
step stage
loop repeat
scene 3d model
game play
audio voice speech
speech voice audio
transcript caption subtitle
`;

/**
 * Technical terms, each with everyday words and phrases. A search for these words finds the term, but a search for the
 * term does not find these words.
 */
const everyday = `
blame: who+wrote who+changed author culprit responsible line+by+line
commit: check+in snapshot saved changes
cherry pick: single one+commit particular
stash: temporarily unfinished aside shelf later
rebase: on+top linear replay
reset: undo unstage start+over throw+away original factory
revert: undo take+back reverse
worktree: second parallel side+by+side
reflog: lost undo
merge: combine bring+together land join unite one
branch: line+of+development version side
diff: changed changes difference differ between compare
clone: local+copy copy download
fork: own+copy copy account
fetch: download newest server remote
push: upload publish server send
pull: newest latest bring+down
remote: origin server upstream address
tag: mark version label keyword
release: publish ship version announce
changelog: what+changed news history
milestone: deadline target goal
assign: responsible owner give hand+over take+over charge
unassign: relieve
label: tag mark category
reaction: thumbs thumbs+up smile heart like
emoji: smiley smile symbol icon
comment: say remark tell write answer opinion
discussion: conversation talk debate thread
review: opinion feedback judge look+over
approve: accept sign+off green+light thumbs+up ok allow agree
approval: sign+off agreement consent
unapprove: withdraw take+back
merge+request: proposal change contribution
pipeline: build ci tests automation
job: build step
log: printed output says written messages lines history said
logs: printed output says written messages
event: happening occurrence activity
trigger: start fire cause kick+off
workflow: automation process
template: blueprint ready-made starting sample boilerplate
validate: correct valid right wrong mistake problem check
lint: style mistakes sloppy quality format check
parse: read understand structure
describe: explain detail about detailed more tell
explain: mean understand why
status: how state going happening progress far standing
health: alive up down running ok well reachable works
ping: alive reachable answer respond up connection
scale: more fewer copies instances replicas
rollout: release progress new+version restart
replica: copy instance
apply: put+into use manifest
patch: change part small
exec: inside run command
namespace: area environment space
context: cluster environment switch
node: machine
port: reach local tunnel expose
forward: tunnel reach local
cleanup: tidy remove failed leftover
clean: tidy untracked leftover unneeded
install: set+up put add get
uninstall: remove get+rid
upgrade: newer new+version newest
process: program running task hanging stuck
kill: stop end force hanging stuck
terminate: stop end finish
session: terminal running open
interact: type send input talk answer
directory: folder contents place
tree: structure overview nested outline layout
move: rename another+place elsewhere put
write: save put into text store create
read: show open text contents what+does+say see look
edit: change replace correct line part
search: find where which contain containing occurrence named
allowed: may permitted access
info: size changed date when details how+big how+old permission
size: big large heavy space
media: picture photo image sound song video
navigate: go visit open website site address page
back: previous before return earlier
click: press button push tap hit link
hover: mouse point over
drag: move pull
drop: release let+go
type: enter write input text fill
fill: enter complete input form
press: key keyboard hit enter
key: keyboard press
select: choose pick dropdown option
option: choice dropdown
upload: file choose attach hand
dialog: popup alert window message question confirm
snapshot: structure page current+state accessibility content
screenshot: picture photo image looks look see visible
resize: window size bigger smaller viewport width height
console: messages javascript warnings printed
network: requests traffic calls loaded
evaluate: javascript script code run
wait: until appear moment second seconds
tabs: windows open pages
close: shut end finish done
scrape: read content page site text article
crawl: whole all+pages entire follow links
map: urls links pages site all
extract: pull fields structured data
research: investigate thorough find+out sources study deep
paper: study scientific article publication scholar
monitor: watch regularly changes notify observe alert
agent: autonomous robot
library: package framework module
docs: manual how+to guide help reference current
resolve: identifier id name exact done settle
table: columns rows sheet
sheet: excel tab page spreadsheet
range: cells area
cell: box value
format: bold color colour look style border
formula: compute calculation
copy: duplicate same second
excel: spreadsheet workbook
sql: database query table rows
execute: run
schema: structure columns fields
vault: safe
item: entry login password record
generate: make random new
send: share deliver secure
lock: close secure
unlock: open
sync: newest update
invite: ask join add new+member
revoke: withdraw take+away cancel
restore: bring+back undelete recover get+back
confirm: accept
member: people person who belongs
group: team
organization: company
collection: folder set
policy: rule
area: filled volume
bar: compare horizontal ranking
column: vertical compare bars
boxplot: quartiles median outliers spread
dual: two+axes two both
fishbone: cause causes reasons
flow: process steps decision procedure
funnel: drop+off conversion stages loss
histogram: distribution frequency how+often bins
line: trend over+time course development
liquid: fill level percentage progress tank
mind: ideas brainstorm topics
organization+chart: hierarchy boss reports
path: route travel way trip
pie: share proportion parts percentage slices
pin: markers places dots locations
radar: several+dimensions strengths abilities spider
sankey: flow flows stream
scatter: relation correlation points dots
treemap: nested rectangles proportion
venn: overlap common intersection circles sets
violin: density distribution
waterfall: cumulative increase decrease contributions step
word: frequent terms keywords
cloud: frequent terms keywords
graph: relationships connections network
diagram: drawing sketch boxes arrows picture
mermaid: diagram text
story: requirement ticket work
epic: big large theme bundle
iteration: sprint cycle two+weeks
objective: goal target aim okr
subtask: smaller pieces part parts piece
expand: break+down smaller pieces split
complexity: difficult hard complicated
dependency: depends blocked before first needs
next: should+work now+do upcoming
prd: requirements specification
scope: effort range
draft: unsent unpublished preliminary
todo: remember task pending
wiki: knowledge page article
block: paragraph section piece
database: table collection
retrieve: show get look fetch
query: filter find ask which
self: myself own who+am+i
user: person people colleague who account
team: group department people
project: workspace
issue: bug problem defect error crash report
error: crash crashed exception fail failed failing broken problem wrong bug
trace: slow request path performance where time
span: slow part request
release+build: version
replay: recording user+session watch
dsn: key connection
profile: slow performance
stats: numbers figures count
test: check works
suite: collection tests
step: action
segment: part piece
api: interface endpoint service specification
portal: developer documentation site
product: section
domain: shared
registry: catalog
standardize: rules guideline style consistent
scan: check rules
weather: rain sun temperature
recommend: suggest idea
meal: eat dinner lunch cook food
recipe: cook dish ingredients prepare
eat: dinner lunch meal hungry cook
play: watch start show
video: film clip movie
pdf: document page read
scene: 3d world
budget: money spending plan spend
customer: buyers clients segment
system: computer machine cpu memory
scenario: what+if model
cohort: retention
sum: add plus total
echo: repeat back say same
env: variables environment settings
greet: hello hi welcome
memory: remember knowledge
entity: person thing
relation: connection related between
observation: fact note
history: past earlier previous recent before
instruction: rules guide how+to
config: settings options preferences
feedback: opinion tell team complain praise
prompt: text starter
help: how+to
usage: used consumption many left
credit: balance left paid
subscription: notify plan
notification: alert
convert: turn+into change
zip: compress pack
translate: language
schedule: time plan when
email: mail letter
calendar: appointments free busy meeting
contact: phone address person
payment: pay money
invoice: bill
refund: money+back
balance: money left account
order: bought purchase
transcript: text spoken words said
voice: speak spoken aloud
summary: short brief overview
`;

/** One group per line: English words, then the words of other languages that have the same meaning. */
const foreign = `
create make: erstellen anlegen erzeugen neu neue neuer creer cree nouveau nouvelle crear nuevo nueva criar crea 创建 新建
delete remove: loschen entfernen lösche losche supprimer supprime efface borrar eliminar elimina excluir 删除
update edit: andern bearbeiten aktualisieren modifier modifie changer editar cambiar actualizar modificar 更新 修改
show list display: zeig zeige zeigen anzeigen liste auflisten montre montrer affiche afficher lister mostrar muestra ver listar 显示 列出
search find: suche suchen finde finden chercher cherche trouver rechercher buscar busca encontrar 搜索 查找
read open: lesen lies offnen lire ouvrir leer abrir 读取 打开
write save: schreiben schreibe speichern ecrire enregistrer escribir guardar 保存
send: senden sende schicken schicke envoyer envoie enviar envia 发送
download: herunterladen telecharger descargar 下载
upload: hochladen televerser subir 上传
run execute: ausfuhren starten executer lancer ejecutar correr 运行 执行
stop: stoppen anhalten beenden arreter detener parar 停止
copy: kopieren copier copiar 复制
move: verschieben deplacer mover 移动
play: abspielen jouer reproducir 播放
draw: zeichnen dessiner dibujar 画图
calculate: rechnen berechnen calculer calcular 计算
translate: ubersetzen traduire traducir 翻译
compare: vergleichen comparer comparar 比较
generate: generieren generer generar 生成
give: geben gib donner dar
explain: erklaren expliquer explicar 解释
summarize: zusammenfassen resumer resumir 总结
file: datei dateien fichier fichiers archivo archivos ficheiro 文件
folder directory: ordner verzeichnis dossier repertoire carpeta directorio 文件夹 目录
password: passwort kennwort contrasena senha 密码
picture image: bild bilder imagen 图片 图像
screenshot: bildschirmfoto capture captura 截图
video: 视频
map: karte carte mapa 地图
route: strecke weg itineraire ruta 路线
weather: wetter meteo tiempo clima 天气
message: nachricht mensaje 消息
mail email: correo courriel 邮件
user: benutzer nutzer utilisateur usuario 用户
page: seite pagina 页面
issue error: fehler problem erreur probleme problema 错误 问题
task: aufgabe aufgaben tache tarea tareas 任务
next: nachste nachster suivant suivante siguiente proximo 下一
last latest: letzte letzten letzter dernier derniere derniers dernieres ultimo ultima ultimos 最近 最后
branch: zweig branche rama 分支
commit: 提交
fix: korrektur correction correccion 修复
secure: sicher securite securise seguridad seguro 安全
person someone: jemand quelqu personne alguien persona
table: tabelle tableau tabla 表格
chart: diagramm diagramme graphique grafico 图表
calendar: kalender calendrier calendario 日历
meeting: termin besprechung reunion 会议
price: preis prix precio 价格
question: frage pregunta
code: 代码
database: datenbank basedatos 数据库
today: heute aujourd hui hoy 今天
eat food meal: essen manger comer 吃 晚餐 食物
recipe: rezept recette receta 做法 菜谱 食谱
feedback: ruckmeldung
comment: kommentar commentaire comentario 评论
time: zeit uhrzeit heure hora 时间
new: 新的 neu nouveau nuevo
`;

/** Common abbreviations, each with the words that it abbreviates. */
const abbreviations = `
pr: pull request
prs: pull request
mr: merge request
repo: repository
repos: repository
dir: directory
dirs: directory
docs: documentation
doc: document
db: database
env: environment
config: configuration
info: information
org: organization
pic: picture
pics: picture
img: image
msg: message
pwd: password
pw: password
k8s: kubernetes
md: markdown
prod: production
dev: development
auth: authentication
param: parameter
params: parameter
stats: statistics
mem: memory
app: application
apps: application
desc: description
ref: reference
deps: dependency
lst: list
xls: excel
xlsx: excel
spreadsheet: excel
todo: task
ticket: issue
`;

/** Words that mean nearly the same as a word or phrase, each with the weight of the match, from 0 to 1. */
export type Synonyms = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Weights of a match by the source of the synonym. */
const weights = { action: 0.55, thing: 0.55, everyday: 0.7, foreign: 0.9, abbreviation: 0.9 };

let table: Synonyms | undefined;

/** The synonyms by stem; the stems of a phrase have a space between them. Empty until `readSynonyms` has ended. */
export function synonyms(): Synonyms {
  return table ?? new Map();
}

/** Reads the synonyms at the first use, in steps of less than a millisecond. */
export function* readSynonyms(): Generator<void, void, void> {
  if (table) return;
  const read = new Map<string, Map<string, number>>();
  const relate = (from: string, to: string, weight: number) => {
    const related = read.get(from) ?? new Map<string, number>();
    related.set(to, Math.max(related.get(to) ?? 0, weight));
    read.set(from, related);
  };
  for (const [text, weight] of [
    [actions, weights.action],
    [things, weights.thing],
  ] as const)
    for (const line of linesOf(text)) {
      yield;
      const words = line.split(' ').map(phraseStem);
      const [head = ''] = words;
      // A word matches the first word of its line with the full weight, and the other words with 60% of it.
      for (const word of words) {
        if (word === head) continue;
        if (!head.includes(' ')) relate(word, head, weight);
        if (!word.includes(' ')) relate(head, word, weight);
        for (const other of words) if (other !== word && !other.includes(' ')) relate(word, other, weight * 0.6);
      }
    }
  for (const [text, weight] of [
    [everyday, weights.everyday],
    [foreign, weights.foreign],
    [abbreviations, weights.abbreviation],
  ] as const)
    for (const line of linesOf(text)) {
      yield;
      const [left = '', right = ''] = line.split(': ');
      const [froms, tos] = text === abbreviations ? [left, right] : [right, left];
      for (const from of froms.split(' '))
        for (const to of tos.split(/[ +]/)) relate(phraseStem(from), stemOf(to), weight);
    }
  table = read;
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

function phraseStem(phrase: string): string {
  return phrase.split('+').map(stemOf).join(' ');
}
