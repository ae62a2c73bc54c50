import * as vscode from 'vscode';
import { HostError } from '../../core/base/hostError.js';
import { problemLine, problemLines } from '../../core/present/form/schemaProblems.js';
import type { JsonSchema, Tool } from '../../core/protocol/mcp.js';
import { loadValidator } from '../../core/schema/loadValidator.js';
import type { SchemaValidator } from '../../core/schema/schemaValidator.js';

/** The schema validator of the window. It is loaded when the first value is checked, because ajv is large. */
export class SchemaChecks {
  private validator: SchemaValidator | undefined;
  private loading: Promise<SchemaValidator> | undefined;

  /** Returns the validator, or a promise if the validator is not loaded yet. */
  load(): SchemaValidator | Promise<SchemaValidator> {
    return this.validator ?? (this.loading ??= this.loadNow());
  }

  /** Checks arguments. Throws `invalid-arguments` if the values do not match the tool's input schema. */
  async checkArguments(tool: Tool, values: Record<string, unknown>): Promise<void> {
    const validator = this.validator ?? (await this.load());
    const { problems } = validator.check(tool.inputSchema, values);
    if (problems.length === 0) return;
    throw new HostError(
      'invalid-arguments',
      vscode.l10n.t('The arguments are not valid for the tool "{0}": {1}.', tool.name, problemLines(problems)),
      {
        data: { problems },
      },
    );
  }

  /** The check that is passed to the host. Returns messages about structured output that does not match its schema. */
  readonly checkOutput = (schema: JsonSchema, value: unknown): string[] | Promise<string[]> => {
    const check = (validator: SchemaValidator) =>
      validator.check(schema, value).problems.map((problem) => problemLine(problem));
    return this.validator ? check(this.validator) : Promise.resolve(this.load()).then(check);
  };

  private async loadNow(): Promise<SchemaValidator> {
    this.validator = await loadValidator();
    return this.validator;
  }
}
