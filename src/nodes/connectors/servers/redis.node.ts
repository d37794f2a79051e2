import { Type } from 'typebox';
import type { FieldError } from '../../../contract/errors.ts';
import type { NodeContext } from '../../../contract/node-type.ts';
import type { RedisCommand, RedisServer } from '../../../contract/redis.ts';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { isObject } from '../../../lib/json/json.ts';
import { parseDuration } from '../../../lib/time/duration.ts';
import { defineNode } from '../../define-node.ts';
import { done, invalid, invalidFields } from '../../outcome.ts';
import { closed, duration, oneOfTexts, scalar, tagged } from '../../schema.ts';
import { isTemplated } from '../../template-mode.ts';
import { ui } from '../../ui-hints.ts';
import { credentialsField, CredentialsError, validateCredentials } from '../credentials.ts';
import { findRefusal } from './redis-command.ts';
import { readRedisUrl } from './redis-url.ts';

const MAX_VALUES = 10_000;

const credentials = credentialsField(
  'The secret contains redis://user:password@host:port/0 with the number of the database. rediss:// requires TLS, ?tls=off disables it. Connections to public addresses use TLS unless it is disabled',
);
const text = (description: string, title?: string) =>
  Type.String({
    minLength: 1,
    maxLength: 65_536,
    description,
    ...(title === undefined ? {} : { title }),
  });
const key = text('The key.');
const value = Type.Unsafe<Json>({
  description: 'The value. Text is stored unchanged, other values as JSON.',
});
const operation = <const T extends string>(name: T) => Type.Literal(name);
const end = (first: 'left' | 'right', description: string) =>
  Type.Optional(
    oneOfTexts(['left', 'right'], { default: first, title: 'End', description, ...ui({ advanced: true }) }),
  );

const RedisConfig = tagged('operation', [
  closed({ operation: operation('get'), credentials, key }, { title: 'Get value' }),
  closed(
    {
      operation: operation('set'),
      credentials,
      key,
      value,
      expires_in: Type.Optional(
        duration({
          title: 'Expires in',
          description: 'How long the key exists, such as 10m. Default: until it is deleted.',
        }),
      ),
      only_if: Type.Optional(
        oneOfTexts(['missing', 'exists'], {
          title: 'Only if',
          ...ui({ advanced: true }),
          description: 'Sets the key only if it is missing, or only if it exists. Default: always.',
        }),
      ),
    },
    { title: 'Set value' },
  ),
  closed(
    {
      operation: operation('delete'),
      credentials,
      keys: Type.Unsafe<string | string[]>({
        type: ['string', 'array'],
        minLength: 1,
        maxItems: MAX_VALUES,
        description: 'A key, or a list of keys.',
      }),
    },
    { title: 'Delete keys' },
  ),
  closed({ operation: operation('exists'), credentials, key }, { title: 'Check whether a key exists' }),
  closed(
    {
      operation: operation('increment'),
      credentials,
      key,
      by: Type.Optional(
        Type.Integer({
          minimum: -Number.MAX_SAFE_INTEGER,
          maximum: Number.MAX_SAFE_INTEGER,
          default: 1,
          description: 'The number to add; a negative number is subtracted.',
        }),
      ),
    },
    { title: 'Increment number' },
  ),
  closed(
    {
      operation: operation('expire'),
      credentials,
      key,
      expires_in: duration({
        title: 'Expires in',
        description: 'How long the key still exists, such as 10m.',
      }),
    },
    { title: 'Set expiry' },
  ),
  closed({ operation: operation('ttl'), credentials, key }, { title: 'Get remaining time' }),
  closed(
    {
      operation: operation('hash_get'),
      credentials,
      key,
      fields: Type.Optional(
        Type.Array(text('A field.'), {
          minItems: 1,
          maxItems: MAX_VALUES,
          description: 'The fields to read. Default: all fields.',
        }),
      ),
    },
    { title: 'Get hash' },
  ),
  closed(
    {
      operation: operation('hash_set'),
      credentials,
      key,
      values: Type.Unsafe<JsonObject>({
        type: 'object',
        description: 'The fields as {field: value}. Text is stored unchanged, other values as JSON.',
      }),
    },
    { title: 'Set hash fields' },
  ),
  closed(
    {
      operation: operation('list_push'),
      credentials,
      key,
      values: Type.Unsafe<Json>({
        description: 'A value, or a list of values. Text is stored unchanged, other values as JSON.',
      }),
      end: end('right', 'The end of the list to which the values are added.'),
    },
    { title: 'Push to list' },
  ),
  closed(
    {
      operation: operation('list_pop'),
      credentials,
      key,
      end: end('left', 'The end of the list from which the values are removed.'),
      count: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_VALUES,
          default: 1,
          description: 'The maximum number of values. More than one requires Redis 6.2.',
        }),
      ),
    },
    { title: 'Pop from list' },
  ),
  closed(
    { operation: operation('publish'), credentials, channel: text('The channel.'), message: value },
    { title: 'Publish message' },
  ),
  closed(
    {
      operation: operation('command'),
      credentials,
      command: Type.Array(scalar(), {
        minItems: 1,
        maxItems: MAX_VALUES,
        description:
          'Another command as a list of its name and arguments, such as ["ZADD", "scores", 17, "ada"]. Commands that wait, subscribe, change the connection or administer the server are rejected.',
      }),
    },
    { title: 'Other command' },
  ),
]);
type Config = {
  operation: string;
  credentials: string;
  key?: string;
  keys?: string | string[];
  value?: Json;
  values?: Json;
  fields?: string[];
  expires_in?: string;
  only_if?: 'missing' | 'exists';
  by?: number;
  end?: 'left' | 'right';
  count?: number;
  channel?: string;
  message?: Json;
  command?: (string | number | boolean)[];
};
type Send = (...command: RedisCommand) => Promise<Json>;

export const redis = defineNode({
  type: 'redis',
  version: '1.0.0',
  name: 'Redis',
  category: 'connector',
  description:
    'Reads and changes values on a Redis server, or a compatible one such as Valkey. The result is {value}: the text of get (null if the key is missing), whether set, exists and expire succeeded, the number of deleted keys of delete, the new number of increment, the remaining milliseconds of ttl (null without expiry), an object of hash_get, the number of new fields of hash_set, the new length of list_push, a list of list_pop, the number of receivers of publish, and the reply of command. Text that is not UTF-8 is {base64}. After a crash an operation may run again: get, set, delete, exists, expire, ttl, hash_get and hash_set then have the same effect, but increment, list_push, list_pop and publish may happen twice, and set with only_if returns false the second time.',
  icon: 'redis',
  keywords: ['redis', 'valkey', 'cache', 'key', 'value', 'store', 'counter', 'queue', 'publish', 'lock'],
  config: RedisConfig,
  templates: { operation: 'literal', only_if: 'literal', end: 'literal' },
  output: Type.Object({ value: Type.Unknown({ examples: ['text'] }) }),
  outputs: [{ name: 'out', type: 'object', description: '{value}' }],
  effects: 'external',
  secrets: { credentials: 'request' },
  timeout: 30_000,
  check: (config) => [...validateCredentials(config), ...validateOperation(config, true)],
  async run(ctx, given) {
    const config = given as Config;
    const errors = validateOperation(config as unknown as JsonObject, false);
    if (errors.length > 0) return invalidFields(errors);
    let server: RedisServer;
    try {
      server = readRedisUrl(config.credentials);
    } catch (error) {
      if (error instanceof CredentialsError) return invalid('credentials', error.message);
      throw error;
    }
    return done({ value: await runOperation(ctx, server, config) });
  },
  examples: [
    {
      title: 'Remember a value for ten minutes',
      config: {
        operation: 'set',
        credentials: '{{ secrets.REDIS }}',
        key: 'session:{{ input.id }}',
        value: '{{ input.session }}',
        expires_in: '10m',
      },
      input: { id: '17', session: { user: 'ada' } },
      outputs: { out: { value: true } },
    },
    {
      title: 'Count calls',
      config: { operation: 'increment', credentials: '{{ secrets.REDIS }}', key: 'calls:{{ input.day }}' },
      input: { day: '2026-01-31' },
      outputs: { out: { value: 42 } },
    },
    {
      title: 'Take three jobs from a list',
      config: { operation: 'list_pop', credentials: '{{ secrets.REDIS }}', key: 'jobs', count: 3 },
      input: {},
      outputs: { out: { value: ['job-1', 'job-2', 'job-3'] } },
    },
    {
      title: 'Best scores of a sorted set',
      config: {
        operation: 'command',
        credentials: '{{ secrets.REDIS }}',
        command: ['ZRANGE', 'scores', 0, 9, 'REV', 'WITHSCORES'],
      },
      input: {},
      outputs: { out: { value: ['ada', '17', 'bob', '12'] } },
    },
  ],
});

async function runOperation(ctx: NodeContext, server: RedisServer, config: Config): Promise<Json> {
  const { key: name = '' } = config;
  const send: Send = (...command) => ctx.redis.send(server, command);
  switch (config.operation) {
    case 'get':
      return send('GET', name);
    case 'set':
      return setValue(send, config);
    case 'delete':
      return send('DEL', ...[config.keys ?? []].flat());
    case 'exists':
      return (await send('EXISTS', name)) === 1;
    case 'increment':
      return send('INCRBY', name, String(config.by ?? 1));
    case 'expire':
      return (await send('PEXPIRE', name, readMs(config.expires_in))) === 1;
    case 'ttl':
      return readRemaining(await send('PTTL', name));
    case 'hash_get':
      return getHash(send, name, config.fields);
    case 'hash_set':
      return send(
        'HSET',
        name,
        ...Object.entries(config.values as JsonObject).flatMap(([field, one]) => [field, toText(one)]),
      );
    case 'list_push':
      return send(
        config.end === 'left' ? 'LPUSH' : 'RPUSH',
        name,
        ...[config.values ?? null].flat().map(toText),
      );
    case 'list_pop':
      return popList(send, config);
    case 'publish':
      return send('PUBLISH', config.channel ?? '', toText(config.message ?? null));
    default: {
      const [command = '', ...args] = (config.command ?? []).map(String);
      return send(command, ...args);
    }
  }
}

async function setValue(send: Send, { key: name = '', value: given = null, expires_in, only_if }: Config) {
  const reply = await send(
    'SET',
    name,
    toText(given),
    ...(expires_in === undefined ? [] : ['PX', readMs(expires_in)]),
    ...(only_if === undefined ? [] : [only_if === 'missing' ? 'NX' : 'XX']),
  );
  return reply === 'OK';
}

async function getHash(send: Send, name: string, fields: string[] | undefined): Promise<Json> {
  const reply = await (fields === undefined ? send('HGETALL', name) : send('HMGET', name, ...fields));
  const parts = Array.isArray(reply) ? reply : [];
  const pairs =
    fields === undefined
      ? parts.flatMap((field, i): [string, Json][] =>
          i % 2 === 0 ? [[toText(field), parts[i + 1] ?? null]] : [],
        )
      : fields.map((field, i): [string, Json] => [field, parts[i] ?? null]);
  return Object.fromEntries(pairs);
}

async function popList(send: Send, { key: name = '', end: from, count = 1 }: Config): Promise<Json> {
  const reply = await send(from === 'right' ? 'RPOP' : 'LPOP', name, ...(count === 1 ? [] : [String(count)]));
  return reply === null ? [] : [reply].flat();
}

/** PTTL: -2 without the key, -1 without an expiry. */
function readRemaining(reply: Json): Json {
  return typeof reply === 'number' && reply >= 0 ? reply : null;
}

function readMs(text: string | undefined): string {
  return String(parseDuration(text ?? '') ?? 0);
}

function toText(given: Json): string {
  return typeof given === 'string' ? given : JSON.stringify(given);
}

/** Validation that the schema cannot express. `isTemplate`: values with placeholders are validated later. */
function validateOperation(config: JsonObject, isTemplate: boolean): FieldError[] {
  const isOpen = (given: unknown): boolean => isTemplate && isTemplated(given);
  const { operation: name, keys, values, command } = config;
  const at = (field: string, issue: string): FieldError[] => [{ field, issue }];
  if (name === 'delete' && Array.isArray(keys)) {
    const wrong = keys.findIndex((one) => typeof one !== 'string' || one === '');
    if (keys.length === 0) return at('keys', 'must have at least one key');
    return wrong === -1 ? [] : at(`keys[${wrong}]`, 'must be a key');
  }
  if (name === 'hash_set' && !isOpen(values))
    return isObject(values) && Object.keys(values).length > 0
      ? []
      : at('values', 'must have at least one field');
  if (name === 'list_push' && Array.isArray(values) && values.length === 0)
    return at('values', 'must have at least one value');
  if (name === 'command' && Array.isArray(command) && !isOpen(command[0])) {
    const refusal = findRefusal(command);
    return refusal === null ? [] : at('command[0]', refusal);
  }
  return [];
}
