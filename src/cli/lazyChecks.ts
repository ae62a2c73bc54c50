import { problemLine } from '../core/present/form/schemaProblems.js';
import type { JsonSchema } from '../core/protocol/mcp.js';
import { loadValidator } from '../core/schema/loadValidator.js';
import type { SchemaValidator } from '../core/schema/schemaValidator.js';

/** Returns a function that checks values against a schema. It loads the validator at the first check. */
export function lazyChecks(): (schema: JsonSchema, value: unknown) => Promise<string[]> | string[] {
  let validator: SchemaValidator | undefined;
  let loading: Promise<SchemaValidator> | undefined;
  const check = (loaded: SchemaValidator, schema: JsonSchema, value: unknown) =>
    loaded.check(schema, value).problems.map((problem) => problemLine(problem));
  return (schema, value) => {
    if (validator) return check(validator, schema, value);
    loading ??= loadValidator();
    return loading.then((loaded) => {
      validator = loaded;
      return check(loaded, schema, value);
    });
  };
}
