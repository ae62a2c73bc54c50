/** Counts the steps of a script. A failed step is printed and a screenshot taken, and the next one runs. */
export function makeSteps({ log = console.log, onFailure } = {}) {
  const result = { passed: 0, failed: 0, failures: [] };

  async function step(name, fn) {
    const started = Date.now();
    try {
      await fn();
      result.passed++;
      log(`ok ${name} (${Date.now() - started} ms)`);
    } catch (error) {
      result.failed++;
      result.failures.push({ name, error });
      log(`not ok ${name} (${Date.now() - started} ms)\n${indent(error.stack ?? String(error))}`);
      await onFailure?.(name).catch((another) => log(indent(`no screenshot: ${another.message}`)));
    }
  }

  return { step, result };
}

/** Playwright colors its messages. */
function indent(text) {
  return text.replaceAll(/\u001b\[\d+m/g, '').replaceAll(/^/gm, '  ');
}
