import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { isObject } from '../../../base/guards.js';
import { visibleLine, visibleText } from '../../../base/hostileText.js';
import { readFileUpTo } from '../../../config/smallFile.js';

/** One check of a scenario. */
export interface SuiteCheck {
  id: string;
  status: 'passed' | 'failed' | 'warning' | 'skipped';
  description: string;
  /** Why it did not pass. */
  message?: string;
  /** The parts of the specification that it checks. */
  links: readonly string[];
}

/**
 * The result of a scenario: failed if a check failed or the suite wrote no result, passed if a check passed, and
 * otherwise skipped.
 */
export interface ScenarioResult {
  name: string;
  status: 'passed' | 'failed' | 'skipped';
  /** Whether the revision requires the scenario. Others do not affect the conformance of a server. */
  isScored: boolean;
  checks: readonly SuiteCheck[];
  /** The part of the specification that the scenario is about. */
  link?: string;
}

/** Maximum number of scenarios that are read. */
const maxScenarios = 500;
/** Maximum size of a file that is read, in bytes. */
const maxBytes = 8_000_000;
/** Maximum number of checks of a scenario that are read. */
const maxChecks = 500;

const statuses: Readonly<Record<string, SuiteCheck['status']>> = {
  SUCCESS: 'passed',
  FAILURE: 'failed',
  WARNING: 'warning',
};

/** Reads what the suite wrote to its output folder, by the name of the scenario. */
export async function readSuiteResults(folder: string): Promise<Map<string, readonly SuiteCheck[]>> {
  const results = new Map<string, readonly SuiteCheck[]>();
  const names = (await readdir(folder)).sort().slice(0, maxScenarios);
  for (const name of names) {
    const scenario = /^server-([\w.-]+)-\d{4}-\d{2}-\d{2}T/.exec(name)?.[1];
    if (scenario === undefined) continue;
    const read = readFileUpTo(path.join(folder, name, 'checks.json'), maxBytes);
    const checks: unknown = await read.then(JSON.parse).catch(() => undefined);
    if (Array.isArray(checks))
      results.set(
        scenario,
        checks.slice(0, maxChecks).flatMap((check) => readCheck(check)),
      );
  }
  return results;
}

function readCheck(value: unknown): SuiteCheck[] {
  if (!isObject(value) || value['status'] === 'INFO') return [];
  const { id, status, description, errorMessage, specReferences } = value;
  const references: unknown[] = Array.isArray(specReferences) ? specReferences : [];
  const links = references.flatMap((one) => (isObject(one) && isLink(one['url']) ? [one['url']] : []));
  return [
    {
      id: visibleLine(String(id), 100),
      status: statuses[String(status)] ?? 'skipped',
      description: visibleLine(typeof description === 'string' ? description : '', 500),
      ...(typeof errorMessage === 'string' ? { message: visibleText(errorMessage, 2_000) } : {}),
      links: links.slice(0, 5),
    },
  ];
}

/** Whether a value is the URL of a web page. A click opens it, so other URLs are left out. */
function isLink(url: unknown): url is string {
  return typeof url === 'string' && url.length <= 500 && /^https:\/\/[\w.-]+\/[\w./~%#?&=+-]*$/.test(url);
}

/** The result of one scenario. @param checks undefined if the scenario ended without writing a result. */
export function scenarioResult(
  name: string,
  checks: readonly SuiteCheck[] | undefined,
  isScored: boolean,
): ScenarioResult {
  const has = (status: SuiteCheck['status']) => checks?.some((check) => check.status === status) === true;
  // The check of every message against the schema is part of all scenarios, so its link does not describe the subject
  // of the scenario.
  const link = checks?.find(({ id }) => id !== 'wire-schema-valid')?.links[0];
  const status = !checks || has('failed') ? 'failed' : has('passed') ? 'passed' : 'skipped';
  return { name, status, isScored, checks: checks ?? [], ...(link === undefined ? {} : { link }) };
}
