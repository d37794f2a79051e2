import {
  listFieldNames,
  listPlacements,
  listSecretValues,
  type FieldAuthentication,
} from '../../contract/connections/connection-fields.ts';
import { createValidationError, type FieldError } from '../../contract/errors.ts';
import { HttpFailure } from '../../contract/node-type.ts';
import { MIN_REDACTED_LENGTH } from '../../lib/text/redact.ts';
import type { ConnectionRow } from '../../ports/store/connections.ts';
import {
  HEADER_VALUE_ISSUE,
  isHeaderValue,
  RESERVED_HEADERS,
  validateHeader,
} from '../../nodes/http-header.ts';
import type { TokenRefresher } from './token-refresher.ts';

const CONTROL_CHARACTER = /\p{Cc}/u;

/**
 * Returns the encrypted values of a connection after a change: given values replace former ones, and a value
 * that stays the same keeps its encrypted text. Null for OAuth.
 * @throws {WeftError} VALIDATION_ERROR with all errors.
 */
export function completeFields(
  tokens: Pick<TokenRefresher, 'fieldValues' | 'sealFieldValue'>,
  { ownerId, name, settings }: Pick<ConnectionRow, 'ownerId' | 'name' | 'settings'>,
  given: Readonly<Record<string, string>> | undefined,
  before: ConnectionRow | null,
): ConnectionRow['fields'] {
  const { authentication, hosts, grantType } = settings;
  if (grantType !== 'fields' || authentication === null) return null;
  const former = before?.fields ?? null;
  const formerValues = before === null || former === null ? {} : openValues(tokens, before);
  const names = listFieldNames(authentication);
  const kept = Object.fromEntries(Object.entries(formerValues).filter(([field]) => names.includes(field)));
  const values = { ...kept, ...given };
  const errors = validateFields(authentication, values);
  // Otherwise, a user who can change a connection could send its values to a host of their choice.
  const isWider = (hosts ?? []).some((host) => !(before?.settings.hosts ?? []).includes(host));
  if (former !== null && isWider)
    for (const field of names)
      if (given?.[field] === undefined && kept[field] !== undefined)
        errors.push({ field: `fields.${field}`, issue: 'must be given again when a host is added' });
  if (errors.length > 0) throw createValidationError(errors);
  return Object.fromEntries(
    names.map((field) => {
      const value = values[field] ?? '';
      const sealed = former?.[field];
      return [
        field,
        sealed !== undefined && formerValues[field] === value
          ? sealed
          : tokens.sealFieldValue(ownerId, name, field, value),
      ];
    }),
  );
}

/** Values that another secret key encrypted are lost, and must be given again. */
function openValues(tokens: Pick<TokenRefresher, 'fieldValues'>, row: ConnectionRow): Record<string, string> {
  try {
    return tokens.fieldValues(row);
  } catch (error) {
    if (error instanceof HttpFailure) return {};
    throw error;
  }
}

/**
 * Checks where fields are sent, and their values. The values of a connection are complete: those of its
 * fields, and no others.
 */
function validateFields(
  authentication: FieldAuthentication,
  values: Readonly<Record<string, string>>,
): FieldError[] {
  return [...validatePlacements(authentication), ...validateValues(authentication, values)];
}

function validatePlacements(authentication: FieldAuthentication): FieldError[] {
  const errors: FieldError[] = [];
  const isCustom = authentication.type === 'custom';
  const taken = new Set<string>();
  for (const [i, { in: location, name, prefix }] of listPlacements(authentication).entries()) {
    const at = isCustom ? `authentication.placements[${i}]` : 'authentication';
    const key = `${location} ${location === 'header' ? name.toLowerCase() : name}`;
    if (taken.has(key)) errors.push({ field: `${at}.name`, issue: `is set twice: ${name}` });
    taken.add(key);
    if (location === 'query') {
      if (CONTROL_CHARACTER.test(name))
        errors.push({ field: `${at}.name`, issue: 'must not contain control characters' });
      if (prefix !== '')
        errors.push({ field: `${at}.prefix`, issue: 'must not be set for a query parameter' });
      continue;
    }
    const nameError = validateHeader('', name, '', RESERVED_HEADERS);
    if (nameError !== null) errors.push({ field: `${at}.name`, issue: nameError.issue });
    if (!isHeaderValue(prefix)) errors.push({ field: `${at}.prefix`, issue: HEADER_VALUE_ISSUE });
  }
  return errors;
}

function validateValues(
  authentication: FieldAuthentication,
  values: Readonly<Record<string, string>>,
): FieldError[] {
  const names = listFieldNames(authentication);
  const secrets = new Set(listSecretValues(authentication, values));
  const isBasic = authentication.type === 'basic';
  const inHeaders = new Set(
    listPlacements(authentication)
      .filter((one) => one.in === 'header')
      .map(({ field }) => field),
  );
  const errors: FieldError[] = [];
  const add = (name: string, issue: string): void => void errors.push({ field: `fields.${name}`, issue });
  for (const name of Object.keys(values))
    if (!names.includes(name)) add(name, `is not a field of this authentication: ${names.join(', ')}`);
  for (const name of names) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    // Some services take a key as the user name, with an empty password.
    const mayBeEmpty = isBasic && name === 'password';
    if (value === undefined || (value === '' && !mayBeEmpty)) add(name, 'is required');
    else if (value !== '' && value.trim() === '') add(name, 'must not consist of spaces only');
    else if (inHeaders.has(name) && !isHeaderValue(value)) add(name, HEADER_VALUE_ISSUE);
    else if (CONTROL_CHARACTER.test(value)) add(name, 'must not contain line breaks or control characters');
    else if (isBasic && name === 'username' && value.includes(':'))
      add(name, 'must not contain a colon (RFC 7617)');
    else if (value.length < MIN_REDACTED_LENGTH && secrets.has(value))
      add(
        name,
        `must have at least ${MIN_REDACTED_LENGTH} characters, because shorter values cannot be redacted`,
      );
  }
  return errors;
}
