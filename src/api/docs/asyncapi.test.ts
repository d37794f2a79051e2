import specs from '@asyncapi/specs';
import { Ajv, type AnySchema } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, it } from 'vitest';
import { clientMessages, closeCodes, serverMessages } from '../../contract/requests/websocket.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { createAsyncapiDocument } from './asyncapi.ts';

const document = createAsyncapiDocument({ version: '0.1.0', baseUrl: 'http://127.0.0.1:8080/v1' });

/** `npx vitest run src/api/docs/asyncapi.test.ts -u` updates the document. */
it('docs/reference/asyncapi.json is up to date; regenerate it with: npm test -- src/api/docs/asyncapi.test.ts -u', async () => {
  await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot(
    '../../../docs/reference/asyncapi.json',
  );
});

/** Resolves a reference such as `#/channels/socket`. */
function at(reference: string, root: JsonObject): Json | undefined {
  let value: Json | undefined = root;
  for (const key of reference.slice(2).split('/'))
    value = isObject(value) ? value[key.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined;
  return value;
}

type Reference = { $ref: string };
type Channel = { parameters?: JsonObject; address: string };

/** The official schema. */
const isDocument = addFormats
  .default(new Ajv({ strict: false, allErrors: true }))
  .compile(specs.schemasWithoutId['3.0.0'] as AnySchema);

/** Checks a document by the official schema, and by the rules of AsyncAPI 3.0 that no schema states. */
function errors(doc: JsonObject): string[] {
  const found: string[] = [];
  if (!isDocument(doc))
    for (const { instancePath, message } of isDocument.errors ?? []) found.push(`${instancePath} ${message}`);
  for (const [name, channel] of Object.entries((doc['channels'] ?? {}) as Record<string, Channel>)) {
    const inAddress = [...channel.address.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    if (inAddress.join() !== Object.keys(channel.parameters ?? {}).join())
      found.push(`channels.${name} has other parameters than its address`);
  }
  for (const [name, operation] of Object.entries((doc['operations'] ?? {}) as JsonObject)) {
    const { reply, ...rest } = operation as JsonObject & { reply?: JsonObject };
    for (const part of [rest, ...(reply === undefined ? [] : [reply])]) {
      const { $ref: channel } = part['channel'] as Reference;
      if (!/^#\/channels\/\w+$/.test(channel)) found.push(`operations.${name}.channel is not one of ours`);
      for (const { $ref: message } of (part['messages'] ?? []) as Reference[])
        if (!message.startsWith(`${channel}/messages/`))
          found.push(`operations.${name} has a message of another channel`);
    }
  }
  for (const [, reference] of JSON.stringify(doc).matchAll(/"\$ref":"([^"]+)"/g))
    if (at(reference!, doc) === undefined) found.push(`${reference} leads nowhere`);
  return found;
}

it('is an AsyncAPI 3.0 document by the official schema', () => {
  expect(document['asyncapi']).toBe('3.0.0');
  expect(errors(document)).toEqual([]);
});

it.each<[string, (doc: Record<string, Record<string, JsonObject>>) => void, string]>([
  [
    'a missing version',
    (doc) => delete doc['info']!['version'],
    "/info must have required property 'version'",
  ],
  [
    'an action of AsyncAPI 2',
    (doc) => (doc['operations']!['send_error']!['action'] = 'publish'),
    '/operations/send_error/action must be equal to one of the allowed values',
  ],
  [
    'an unknown field',
    (doc) => (doc['channels']!['socket']!['protocol'] = 'ws'),
    '/channels/socket must NOT have additional properties',
  ],
  [
    'a message of another channel',
    (doc) => (doc['operations']!['send_log']!['messages'] = [{ $ref: '#/channels/socket/messages/ping' }]),
    'operations.send_log has a message of another channel',
  ],
  [
    'an unknown parameter of an address',
    (doc) => (doc['channels']!['log']!['address'] = '/executions/{execution}/logs'),
    'channels.log has other parameters than its address',
  ],
  [
    'a reference that leads nowhere',
    (doc) => (doc['components']!['schemas']!['SubscriptionFilter'] = { $ref: '#/components/schemas/Gone' }),
    '#/components/schemas/Gone leads nowhere',
  ],
])('the check finds %s', (_what, spoil, message) => {
  const wrong = structuredClone(document) as Record<string, Record<string, JsonObject>>;
  spoil(wrong);
  expect(errors(wrong as JsonObject)).toContain(message);
});

it('has every message in both directions and every close code', () => {
  const channels = document['channels'] as Record<
    string,
    { messages: JsonObject; 'x-close-codes'?: JsonObject }
  >;
  expect(Object.keys(channels['socket']!.messages).sort()).toEqual(
    [...Object.keys(clientMessages), ...Object.keys(serverMessages)].sort(),
  );
  expect(channels['socket']!['x-close-codes']).toEqual(closeCodes);
  const operations = JSON.stringify(document['operations']);
  for (const type of [...Object.keys(clientMessages), ...Object.keys(serverMessages)])
    expect(operations).toContain(`/messages/${type}"`);
});

it('every message has an example that matches its schema', () => {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'doc', ...document });
  const { messages } = document['components'] as {
    messages: Record<string, { examples: { payload: Json }[] }>;
  };
  for (const [type, { examples }] of Object.entries(messages)) {
    expect(examples.length, type).toBeGreaterThan(0);
    const validate = ajv.getSchema(`doc#/components/messages/${type}/payload`)!;
    for (const { payload } of examples) {
      void validate(payload);
      expect(validate.errors, type).toBeNull();
    }
  }
});
