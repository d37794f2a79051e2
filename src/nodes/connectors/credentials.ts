import { Type } from 'typebox';
import type { FieldError } from '../../contract/errors.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { isObject } from '../../lib/json/json.ts';
import { connectionName } from '../schema.ts';
import { isTemplated } from '../template-mode.ts';

/** A fault of what a secret holds. Its `issue` never repeats any of it. */
export class CredentialsError extends Error {
  override readonly name = 'CredentialsError';
}

/** The name of a connected account, beside or in place of a secret. */
export function connectionField(description: string) {
  return Type.Optional(connectionName({ description }));
}

/** The connected account that a connector's configuration names. */
export function namedConnection({ connection }: JsonObject): { field: string; name: string }[] {
  return typeof connection === 'string' ? [{ field: 'connection', name: connection }] : [];
}

export function credentialsField(holds: string) {
  return Type.String({
    minLength: 1,
    maxLength: 65_536,
    description: `A stored secret, such as {{ secrets.NAME }}. ${holds}.`,
  });
}

/** Credentials that stand in a workflow would be shown with it. */
export function credentialsFaults(config: JsonObject): FieldError[] {
  return isTemplated(config['credentials'])
    ? []
    : [
        {
          field: 'credentials',
          issue: 'takes a stored secret, such as {{ secrets.NAME }}, not the credentials themselves',
        },
      ];
}

/** A secret that holds a JSON object of texts: `required` fields, and `optional` ones. @throws {CredentialsError} */
export function readJsonCredentials(
  text: string,
  required: readonly string[],
  optional: readonly string[],
): Record<string, string> {
  const takes = `the secret takes JSON with ${[...required, ...optional.map((name) => `${name} (optional)`)].join(', ')}`;
  const value = parse(text);
  if (!isObject(value)) throw new CredentialsError(takes);
  const found: Record<string, string> = {};
  for (const name of [...required, ...optional]) {
    const field = value[name];
    if (field === undefined && optional.includes(name)) continue;
    if (typeof field !== 'string' || field === '')
      throw new CredentialsError(
        `${takes}; its ${name} ${field === undefined ? 'is missing' : 'is not a text'}`,
      );
    found[name] = field;
  }
  const unknown = Object.keys(value).length > Object.keys(found).length;
  if (unknown) throw new CredentialsError(`${takes}, and nothing else`);
  return found;
}

/** An http or https URL without its last slash. @throws {CredentialsError} */
export function readBaseUrl(name: string, text: string): string {
  const url = URL.parse(text);
  const plain =
    url !== null && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (!plain || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new CredentialsError(`the secret's ${name} takes an http or https URL without a query`);
  return url.href.replace(/\/+$/, '');
}

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}
