import { Type } from 'typebox';
import type { FieldError } from '../../contract/errors.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { isObject } from '../../lib/json/json.ts';
import { connectionName } from '../schema.ts';
import { isTemplated } from '../template-mode.ts';
import { ui, type UiHints } from '../ui-hints.ts';

/** Invalid content of a secret. `issue` never contains any of it. */
export class CredentialsError extends Error {
  override readonly name = 'CredentialsError';
}

/** The name of a connected account, in addition to or instead of a secret. */
export function connectionField(description: string) {
  return Type.Optional(connectionName({ description }));
}

/** Returns the connected account that a connector's configuration names. */
export function listNamedConnection({ connection }: JsonObject): { field: string; name: string }[] {
  return typeof connection === 'string' ? [{ field: 'connection', name: connection }] : [];
}

export function credentialsField(holds: string, hints: UiHints = {}) {
  return Type.String({
    minLength: 1,
    maxLength: 65_536,
    title: 'Credentials',
    ...ui({ order: 2, control: 'secret', hint: `${holds}.`, ...hints }),
    description: `A stored secret, such as {{ secrets.NAME }}. ${holds}.`,
  });
}

/** Rejects credentials written in a workflow, because they would be visible in it. */
export function validateCredentials(config: JsonObject): FieldError[] {
  return isTemplated(config['credentials'])
    ? []
    : [
        {
          field: 'credentials',
          issue: 'must be a stored secret such as {{ secrets.NAME }}, not the credentials themselves',
        },
      ];
}

/**
 * Reads a secret with a JSON object of strings: `required` and `optional` fields. @throws {CredentialsError}
 */
export function readJsonCredentials(
  text: string,
  required: readonly string[],
  optional: readonly string[],
): Record<string, string> {
  const takes = `the secret must contain JSON with ${[...required, ...optional.map((name) => `${name} (optional)`)].join(', ')}`;
  const value = parse(text);
  if (!isObject(value)) throw new CredentialsError(takes);
  const found: Record<string, string> = {};
  for (const name of [...required, ...optional]) {
    const field = value[name];
    if (field === undefined && optional.includes(name)) continue;
    if (typeof field !== 'string' || field === '')
      throw new CredentialsError(
        `${takes}; its ${name} ${field === undefined ? 'is missing' : 'must be a string'}`,
      );
    found[name] = field;
  }
  const unknown = Object.keys(value).length > Object.keys(found).length;
  if (unknown) throw new CredentialsError(`${takes} and no other fields`);
  return found;
}

/** An http or https URL without trailing slash. @throws {CredentialsError} */
export function readBaseUrl(name: string, text: string): string {
  const url = URL.parse(text);
  const plain =
    url !== null && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (!plain || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new CredentialsError(`the secret's ${name} must be an http or https URL without a query`);
  return url.href.replace(/\/+$/, '');
}

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}
