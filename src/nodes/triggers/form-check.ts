import type { FieldError } from '../../contract/errors.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { validateAccess } from '../forms/access-check.ts';
import { validateFormContent } from '../forms/form-check.ts';
import { validateEndpoint } from './webhook-check.ts';

/** Validation that the schema cannot express. */
export function validateForm(config: JsonObject): FieldError[] {
  return [
    ...validatePath(config['endpoint'] as string),
    ...validateAccess(config),
    ...validateFormContent(config),
  ];
}

function validatePath(endpoint: string): FieldError[] {
  if (endpoint.split('/').some((segment) => segment.startsWith(':')))
    return [{ field: 'endpoint', issue: 'must not have parameters such as :id' }];
  return validateEndpoint(endpoint);
}
