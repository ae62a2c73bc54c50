/**
 * Takes the place of `@vscode/native-watchdog`, which is native code too: it ends an extension host whose parent died.
 * VS Code looks every second by itself as well; the native one is for a blocked event loop, which a test does not outlive.
 */
exports.start = () => {};
exports.exit = (code) => process.exit(code);
