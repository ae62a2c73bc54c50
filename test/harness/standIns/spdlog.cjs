/**
 * Takes the place of `@vscode/spdlog`, whose native part would need a C++ compiler on every machine that runs the
 * tests. Without it VS Code works but writes no log files, so every log channel in the Output panel stays empty.
 * Same names and the same lines; files do not rotate: they live as long as one window of a test.
 */
const { closeSync, mkdirSync, openSync, writeSync } = require('node:fs');
const path = require('node:path');

const levels = ['trace', 'debug', 'info', 'warning', 'error', 'critical'];

class Logger {
  constructor(_type, _name, file) {
    mkdirSync(path.dirname(file), { recursive: true });
    this.file = openSync(file, 'a');
    this.level = 2;
    this.isPlain = false;
  }
  trace(text) {
    this.write(0, text);
  }
  debug(text) {
    this.write(1, text);
  }
  info(text) {
    this.write(2, text);
  }
  warn(text) {
    this.write(3, text);
  }
  error(text) {
    this.write(4, text);
  }
  critical(text) {
    this.write(5, text);
  }
  getLevel() {
    return this.level;
  }
  setLevel(level) {
    this.level = level;
  }
  setPattern() {}
  clearFormatters() {
    this.isPlain = true;
  }
  flush() {}
  drop() {
    if (this.file === undefined) return;
    closeSync(this.file);
    this.file = undefined;
  }
  write(level, text) {
    if (this.file === undefined || level < this.level) return;
    writeSync(this.file, this.isPlain ? text : `${timestamp()} [${levels[level]}] ${text}\n`);
  }
}

/** Local time as spdlog's pattern has it: 2026-01-31 12:59:59.999 */
function timestamp() {
  const now = new Date();
  const two = (number) => String(number).padStart(2, '0');
  const date = `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
  const ms = String(now.getMilliseconds()).padStart(3, '0');
  return `${date} ${two(now.getHours())}:${two(now.getMinutes())}:${two(now.getSeconds())}.${ms}`;
}

// One by one: VS Code imports them by name, and Node finds names only in this form.
const create = async (name, file) => new Logger('rotating', name, file);
exports.version = 0;
exports.setLevel = () => {};
exports.setFlushOn = () => {};
exports.Logger = Logger;
exports.createRotatingLogger = create;
exports.createAsyncRotatingLogger = create;
