/**
 * Collects the parts of a result for editors: one text document with all text in the order of the result, and one file
 * for each image, sound or video. Hidden characters in server text are made visible; JSON values stay exactly the same.
 * Text is produced in pieces, so that sixteen megabytes do not block the editor.
 */
import { t } from '@vscode/l10n';
import { visibleLine, visibleText } from '../../base/hostileText.js';
import type { ContentBlock, Resource, ResourceContents } from '../../protocol/mcp.js';
import { sizeText } from '../../../shared/amountText.js';
import { jsonPieces, reindentPieces } from '../text/jsonPieces.js';
import { inlineCode, looksLikeMarkdown } from '../text/markdown.js';
import type { MediaType } from '../text/mediaType.js';
import { decodeBase64, detectMediaType } from '../text/mediaType.js';
import { isJsonText } from './jsonNodes.js';
import { languageOf } from './resultLanguage.js';
import { lengthOf } from './resultLength.js';

/** The text document of a result. */
export interface ResultDocument {
  /** The ID of a VS Code language. */
  languageId: string;
  /** The approximate number of characters. */
  length: number;
  /** The text in pieces; it may be read several times. */
  pieces(): Iterable<string>;
}

/** One file of a result. */
export interface ResultFile {
  /** The name, for example `image 1.png`. It contains no text from the server. */
  name: string;
  bytes: Uint8Array;
}

/** A result, ready to be opened. */
export interface PresentedResult {
  /** The title of the tab: `echo - result`. */
  title: string;
  isError: boolean;
  /** The beginning of the result's text, on one line. Empty if there is no text and the result is not an error. */
  summary: string;
  /** The text document; absent if the result consists only of files. */
  document?: ResultDocument;
  files: readonly ResultFile[];
}

export interface ResultLimits {
  /** Maximum size of an image, sound or video, in bytes; default 50 MiB. */
  maxFileBytes?: number;
  /** Maximum number of files of one result; default 20. */
  maxFiles?: number;
  /** Maximum width and height of an image, in pixels; default 16,384. */
  maxImageSide?: number;
}

type Section =
  | { kind: 'text'; languageId: string; text: string }
  | { kind: 'json'; heading?: string; pieces: () => Iterable<string>; length: number }
  | { kind: 'note'; line: string };

const pieceLength = 1 << 16;

export class ResultPage {
  private readonly sections: Section[] = [];
  private readonly files: ResultFile[] = [];

  constructor(private readonly limits: ResultLimits) {}

  addContent(block: ContentBlock): void {
    switch (block.type) {
      case 'text':
        return this.addText(block.text);
      case 'image':
      case 'audio':
        return this.addData(block.data, block.mimeType, block.type === 'image' ? t('image') : t('audio'));
      case 'resource_link':
        return this.addLink(block);
      case 'resource':
        return this.addContents(block.resource);
    }
  }

  /** Adds the contents of a resource, below a line that identifies it. */
  private addContents(contents: ResourceContents): void {
    const name = visibleLine(contents.uri, 300);
    if (contents.text === undefined) return this.addData(contents.blob ?? '', contents.mimeType, name);
    this.note(
      `${t('resource')} ${name}${contents.mimeType === undefined ? '' : `, ${visibleLine(contents.mimeType, 80)}`}`,
    );
    this.addText(contents.text, languageOf(contents));
  }

  /** Adds text of the given language. If none is given, the language is detected from the text. */
  addText(text: string, languageId?: string): void {
    const isJson = (languageId === undefined || languageId === 'json') && isJsonText(text);
    if (isJson) this.sections.push({ kind: 'json', pieces: () => reindentPieces(text), length: text.length });
    else
      this.sections.push({
        kind: 'text',
        languageId: languageId ?? (looksLikeMarkdown(text) ? 'markdown' : 'plaintext'),
        text,
      });
  }

  addJsonValue(value: unknown, heading: string | undefined): void {
    this.sections.push({
      kind: 'json',
      ...(heading === undefined ? {} : { heading }),
      pieces: () => jsonPieces(value),
      length: lengthOf(value),
    });
  }

  firstWords(): string {
    for (const section of this.sections) {
      if (section.kind === 'text') return visibleLine(section.text.trimStart().slice(0, 1_000), 300);
      if (section.kind === 'json') for (const piece of section.pieces()) return visibleLine(piece.slice(0, 1_000), 300);
    }
    return '';
  }

  finish(notes: readonly string[], empty: string): Pick<PresentedResult, 'document' | 'files'> {
    const { files, sections } = this;
    if (
      sections.every(({ kind }) => kind === 'note') &&
      files.length === 1 &&
      sections.length === 1 &&
      notes.length === 0
    )
      return { files };
    if (sections.length === 0) sections.push({ kind: 'note', line: empty });
    return {
      document: composed(
        sections,
        notes.map((note) => visibleText(note, 4_000)),
        files.length,
      ),
      files,
    };
  }

  private addLink(link: Resource): void {
    const facts = [link.mimeType, link.size === undefined ? undefined : sizeText(link.size)].filter(
      (fact) => fact !== undefined,
    );
    const name = link.title ?? link.name;
    this.note(
      [
        `${t('link')} ${name === link.uri ? '' : `${visibleLine(name, 120)}: `}${visibleLine(link.uri, 1_000)}`,
        ...facts.map((fact) => visibleLine(fact, 80)),
      ].join(', '),
    );
    if (link.description !== undefined && link.description !== '')
      this.sections.push({ kind: 'text', languageId: 'plaintext', text: link.description });
  }

  private addData(data: string, claimed: string | undefined, name: string): void {
    const { maxFileBytes = 50 * 1024 * 1024, maxFiles = 20, maxImageSide = 16_384 } = this.limits;
    // Four characters of base64 encode three bytes.
    if (data.length * 0.75 > maxFileBytes + 3)
      return this.note(t('{0}: {1}, too large to show', name, sizeText(Math.floor(data.length * 0.75))));
    const bytes = decodeBase64(data);
    if (!bytes) return this.note(t('{0}: the data is not valid base64', name));
    const type = detectMediaType(bytes);
    if (type === undefined && /^image\/svg\b/i.test(claimed ?? ''))
      return this.addText(new TextDecoder().decode(bytes), 'xml');
    const facts = [
      type?.mimeType ??
        (claimed === undefined ? t('of unknown type') : t('claims to be {0}', visibleLine(claimed, 80))),
      sizeText(bytes.length),
    ];
    if (type?.width !== undefined && type.height !== undefined) facts.push(`${type.width} × ${type.height}`);
    if (type === undefined || type.kind === 'other')
      return this.note(t('{0}: {1}, cannot be shown', name, facts.join(', ')));
    if (Math.max(type.width ?? 0, type.height ?? 0) > maxImageSide)
      return this.note(t('{0}: {1}, too large to show', name, facts.join(', ')));
    if (this.files.length >= maxFiles)
      return this.note(t('{0}: {1}, omitted because there are too many files', name, facts.join(', ')));
    const file = { name: this.fileName(type), bytes };
    this.files.push(file);
    this.note(`${file.name}: ${facts.join(', ')}`);
  }

  private fileName({ kind, extension }: MediaType): string {
    return `${kind} ${this.files.length + 1}.${extension}`;
  }

  private note(line: string): void {
    this.sections.push({ kind: 'note', line: `[${line}]` });
  }
}

function composed(sections: readonly Section[], notes: readonly string[], fileCount: number): ResultDocument {
  const [only] = sections;
  const length = sections.reduce(
    (sum, section) =>
      sum +
      (section.kind === 'note' ? section.line.length : section.kind === 'json' ? section.length : section.text.length),
    0,
  );
  if (sections.length === 1 && only?.kind === 'json' && fileCount === 0) {
    if (notes.length === 0) return { languageId: 'json', length, pieces: only.pieces };
    // Notes are written as comments, so that the document stays one foldable JSON value. Line breaks in a note must not
    // end the comment.
    return {
      languageId: 'jsonc',
      length,
      *pieces() {
        for (const note of notes)
          yield `${note
            .split(/\r?\n/)
            .map((line) => `// ${line}`)
            .join('\n')}\n`;
        yield* only.pieces();
      },
    };
  }
  const languages = new Set(sections.map((section) => (section.kind === 'text' ? section.languageId : 'plaintext')));
  const single = sections.length === 1 && only?.kind === 'text' && notes.length === 0 ? only.languageId : undefined;
  const languageId = single ?? (languages.has('markdown') ? 'markdown' : 'plaintext');
  return {
    languageId,
    length,
    *pieces() {
      let gap = '';
      for (const note of notes) {
        yield `${gap}${note}\n`;
        gap = '\n';
      }
      for (const section of sections) {
        yield gap;
        yield* sectionPieces(section, languageId === 'markdown');
        gap = section.kind === 'text' && section.text.endsWith('\n') ? '\n' : '\n\n';
      }
    },
  };
}

function* sectionPieces(section: Section, isMarkdown: boolean): Generator<string> {
  switch (section.kind) {
    case 'note':
      // In Markdown, brackets and asterisks have a meaning, so the line becomes a code span.
      yield isMarkdown ? inlineCode(section.line, 2_000) : section.line;
      break;
    case 'text':
      yield* textPieces(section.text);
      break;
    case 'json':
      if (section.heading !== undefined) yield `${section.heading}:\n`;
      if (isMarkdown) yield '```json\n';
      yield* section.pieces();
      if (isMarkdown) yield '\n```';
  }
}

function* textPieces(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + pieceLength, text.length);
    // Do not split a surrogate pair, because half of one would be shown as an escape.
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end++;
    const piece = text.slice(start, end);
    yield visibleText(piece, piece.length);
    start = end;
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
