import { split } from './shell-words.ts';
import { t } from '../../i18n/index.ts';

/** The configuration of an `http_request` node, and what could not be imported. */
export type Imported = { readonly config: Record<string, unknown>; readonly notes: readonly string[] };

/** A command that cannot be imported. */
export class CurlError extends Error {
  override readonly name = 'CurlError';
}

const METHODS = new Set(['GET', 'POST', 'PUT', 'DELETE', 'PATCH']);
/** Short options with a value, by their long name. */
const LONG_OPTION_BY_SHORT: Readonly<Record<string, string>> = {
  X: 'request',
  H: 'header',
  d: 'data',
  F: 'form',
  u: 'user',
  b: 'cookie',
  A: 'user-agent',
  e: 'referer',
  x: 'proxy',
  m: 'max-time',
  o: 'output',
  w: 'write-out',
  c: 'cookie-jar',
  E: 'cert',
  T: 'upload-file',
  K: 'config',
  r: 'range',
};
const OPTIONS_WITH_VALUE = new Set([
  ...Object.values(LONG_OPTION_BY_SHORT),
  'url',
  'json',
  'data-raw',
  'data-binary',
  'data-ascii',
  'data-urlencode',
  'form-string',
  'oauth2-bearer',
  'connect-timeout',
  'retry',
  'retry-delay',
  'max-redirs',
  'cacert',
  'key',
  'resolve',
  'limit-rate',
]);
const DATA_OPTIONS = new Set(['data', 'data-raw', 'data-binary', 'data-ascii', 'data-urlencode', 'json']);
/** Headers that the service sets itself. */
const OWN_HEADERS = new Set(['content-length', 'host', 'accept-encoding', 'connection']);

type Option = { readonly name: string; readonly value: string };

/** Reads a `curl` command. @throws {CurlError} */
export function readCurl(command: string): Imported {
  const [program, ...words] = split(command);
  if (program === undefined || !/(?:^|[\\/])curl(?:\.exe)?$/.test(program))
    throw new CurlError(t('The command must start with curl.'));
  const options = readOptions(words);
  const all = (name: string): string[] =>
    options.filter((option) => option.name === name).map(({ value }) => value);
  const last = (name: string): string | undefined => all(name).at(-1);

  const address = last('url');
  if (address === undefined) throw new CurlError(t('The command contains no URL.'));
  const notes: string[] = [];
  const { url, query, userInfo } = readUrl(address);
  const headers = readHeaders(options);
  const data = options.filter(({ name }) => DATA_OPTIONS.has(name));
  const isGet = options.some(({ name }) => name === 'get');
  const forms = [...all('form'), ...all('form-string')];
  const user = last('user') ?? userInfo;
  const bearer = last('oauth2-bearer');
  const authentication =
    bearer !== undefined
      ? { type: 'bearer', token: bearer }
      : user !== undefined
        ? basic(user)
        : readAuthorization(headers);

  const body =
    forms.length > 0
      ? formBody(forms, headers, notes)
      : data.length > 0 && !isGet
        ? dataBody(data, headers, notes)
        : {};
  if (isGet) for (const part of data) addPairs(query, urlencodedPart(part));
  const isHead = options.some(({ name }) => name === 'head');
  const method = (last('request') ?? (isHead ? 'HEAD' : 'body' in body ? 'POST' : 'GET')).toUpperCase();
  if (!METHODS.has(method)) throw new CurlError(t('The method {{method}} is not supported.', { method }));
  if (last('upload-file') !== undefined) notes.push(t('The uploaded file (-T) was not imported.'));

  const proxy = last('proxy');
  const seconds = Number(last('max-time'));
  const config = {
    method,
    url,
    ...(query.size === 0 ? {} : { query: Object.fromEntries(query) }),
    ...(authentication === undefined ? {} : { authentication }),
    ...(headers.size === 0 ? {} : { headers: Object.fromEntries(headers.values()) }),
    ...body,
    ...(proxy === undefined ? {} : { proxy }),
    ...(seconds > 0 ? { timeout: `${seconds}s` } : {}),
  };
  return { config, notes };
}

function readOptions(words: readonly string[]): Option[] {
  const options: Option[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!;
    if (word.startsWith('--')) {
      const name = word.slice(2);
      options.push({ name, value: OPTIONS_WITH_VALUE.has(name) ? (words[++index] ?? '') : '' });
    } else if (word.startsWith('-') && word.length > 1) {
      for (let letter = 1; letter < word.length; letter++) {
        const name = LONG_OPTION_BY_SHORT[word[letter]!];
        if (name === undefined) {
          options.push({ name: { G: 'get', I: 'head' }[word[letter]!] ?? '', value: '' });
          continue;
        }
        options.push({ name, value: word.slice(letter + 1) || (words[++index] ?? '') });
        break;
      }
    } else options.push({ name: 'url', value: word });
  }
  return options;
}

type Query = Map<string, string | string[]>;

function readUrl(address: string): { url: string; query: Query; userInfo: string | undefined } {
  const whole = /^[a-z][a-z\d+.-]*:\/\//i.test(address) ? address : `http://${address}`;
  const [beforeHash = ''] = whole.split('#');
  const [, scheme = '', userInfo, rest = ''] = /^([^/]*\/\/)(?:([^/?@]*)@)?([^]*)$/.exec(beforeHash) ?? [];
  const index = rest.indexOf('?');
  const query: Query = new Map();
  if (index >= 0) addPairs(query, rest.slice(index + 1));
  return {
    url: scheme + (index < 0 ? rest : rest.slice(0, index)),
    query,
    userInfo: userInfo === undefined ? undefined : userInfo.split(':').map(decode).join(':'),
  };
}

function addPairs(query: Query, text: string): void {
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const [name, value] = splitPair(pair);
    const existing = query.get(name);
    query.set(name, existing === undefined ? value : [existing, value].flat());
  }
}

function splitPair(pair: string): [name: string, value: string] {
  const index = pair.indexOf('=');
  return index < 0 ? [decode(pair), ''] : [decode(pair.slice(0, index)), decode(pair.slice(index + 1))];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** Names in lower case, with the name and value as written. */
type Headers = Map<string, [name: string, value: string]>;

function readHeaders(options: readonly Option[]): Headers {
  const headers: Headers = new Map();
  const put = (name: string, value: string): void => {
    if (!OWN_HEADERS.has(name.toLowerCase())) headers.set(name.toLowerCase(), [name, value]);
  };
  for (const { name, value } of options) {
    if (name === 'header') {
      const index = value.indexOf(':');
      if (index > 0 && value.slice(index + 1).trim() !== '')
        put(value.slice(0, index).trim(), value.slice(index + 1).trim());
    } else if (name === 'user-agent') put('User-Agent', value);
    else if (name === 'referer') put('Referer', value);
    else if (name === 'cookie' && value.includes('=')) put('Cookie', value);
    else if (name === 'json') {
      if (!headers.has('accept')) put('Accept', 'application/json');
      put('Content-Type', 'application/json');
    }
  }
  return headers;
}

function basic(user: string): Record<string, unknown> {
  const index = user.indexOf(':');
  return index < 0
    ? { type: 'basic', username: user, password: '' }
    : { type: 'basic', username: user.slice(0, index), password: user.slice(index + 1) };
}

/** Takes the Authorization header, if a kind of authentication describes it. */
function readAuthorization(headers: Headers): Record<string, unknown> | undefined {
  const [, scheme = '', token = ''] = /^(\S+)\s+(.+)$/.exec(headers.get('authorization')?.[1] ?? '') ?? [];
  if (token === '') return undefined;
  if (scheme.toLowerCase() === 'bearer') {
    headers.delete('authorization');
    return { type: 'bearer', token };
  }
  if (scheme.toLowerCase() !== 'basic') return undefined;
  try {
    const user = new TextDecoder().decode(Uint8Array.from(atob(token), (char) => char.charCodeAt(0)));
    headers.delete('authorization');
    return basic(user);
  } catch {
    return undefined;
  }
}

function formBody(forms: readonly string[], headers: Headers, notes: string[]): Record<string, unknown> {
  headers.delete('content-type');
  const body = new Map<string, string>();
  for (const form of forms) {
    const index = form.indexOf('=');
    const name = form.slice(0, index);
    const value = form.slice(index + 1);
    if (value.startsWith('@') || value.startsWith('<'))
      notes.push(
        t('The file {{file}} of the field {{field}} was not imported. Add it under Files.', {
          file: value.slice(1),
          field: name,
        }),
      );
    else body.set(name, value);
  }
  return { body: Object.fromEntries(body), body_type: 'form-data' };
}

function dataBody(data: readonly Option[], headers: Headers, notes: string[]): Record<string, unknown> {
  const fromFile = data.find(({ name, value }) => value.startsWith('@') && name !== 'data-raw');
  if (fromFile !== undefined) {
    notes.push(
      t('The body is read from the file {{file}}, which was not imported.', {
        file: fromFile.value.slice(1),
      }),
    );
    return { body: '' };
  }
  const isJson = data.every(({ name }) => name === 'json');
  const text = data.map(urlencodedPart).join(isJson ? '' : '&');
  const type = headers.get('content-type')?.[1].toLowerCase() ?? '';
  const json = parseJson(text);
  if (json !== undefined && (type === '' ? typeof json === 'object' : type.includes('json'))) {
    if (/^application\/json(?:;\s*charset=utf-8)?$/.test(type)) headers.delete('content-type');
    return { body: json, body_type: 'json' };
  }
  if (type === '' || type.startsWith('application/x-www-form-urlencoded')) {
    const pairs = text.split('&').map(splitPair);
    if (new Set(pairs.map(([name]) => name)).size === pairs.length && text.includes('=')) {
      headers.delete('content-type');
      return { body: Object.fromEntries(pairs), body_type: 'form-urlencoded' };
    }
    if (type === '') headers.set('content-type', ['Content-Type', 'application/x-www-form-urlencoded']);
  }
  return { body: text, body_type: 'text' };
}

/** The text of a part as it is sent. */
function urlencodedPart({ name, value }: Option): string {
  if (name !== 'data-urlencode') return value;
  const index = value.indexOf('=');
  if (index < 0) return encodeURIComponent(value);
  return `${value.slice(0, index)}${index === 0 ? '' : '='}${encodeURIComponent(value.slice(index + 1))}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
