import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { JsonObject } from '../../../src/lib/json/json.ts';

/**
 * Validates a value against the schema at a JSON pointer of the document. Returns the first error, or null.
 */
export type DocumentValidator = (pointer: string, value: unknown) => string | null;

export function createValidator(document: JsonObject): DocumentValidator {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  // Responses are stricter than the format: UTC, with milliseconds.
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  ajv.addFormat('binary', true);
  ajv.addSchema({ $id: 'doc', ...document });
  return (pointer, value) => {
    const validate = ajv.getSchema(`doc#${pointer}`) as ValidateFunction | undefined;
    if (validate === undefined) return `the document has no schema at ${pointer}`;
    if (validate(value)) return null;
    return (validate.errors ?? [])
      .map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
      .join('; ');
  };
}

export function escapePointer(key: string): string {
  return encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
}
