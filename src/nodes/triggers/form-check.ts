import { parseExpiry, readFormAccess, readFormLinks } from '../../contract/forms/form-access.ts';
import type { FieldError } from '../../contract/errors.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { validateFormContent } from '../forms/form-check.ts';
import { validateEndpoint } from './webhook-check.ts';

const CONTROL_CHARACTERS = /\p{Cc}/u;

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

function validateAccess(config: JsonObject): FieldError[] {
  const links = readFormLinks(config);
  const isForLinks = readFormAccess(config) === 'link';
  if (isForLinks && links.length === 0) return [{ field: 'links', issue: 'is required by the access link' }];
  if (!isForLinks && config['links'] !== undefined)
    return [{ field: 'links', issue: 'is only supported by the access link' }];
  return links.flatMap(({ name, expiresAt }, i) => [
    ...(CONTROL_CHARACTERS.test(name)
      ? [{ field: `links[${i}].name`, issue: 'must not contain line breaks or other control characters' }]
      : []),
    ...(links.findIndex((one) => one.name === name) < i
      ? [{ field: `links[${i}].name`, issue: 'is used by another link' }]
      : []),
    ...(parseExpiry(expiresAt) === null
      ? [
          {
            field: `links[${i}].expires_at`,
            issue: 'must be a date such as 2027-01-31, or a time such as 2027-01-31T18:00:00Z',
          },
        ]
      : []),
  ]);
}
