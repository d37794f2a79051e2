import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, it } from 'vitest';
import { clientMessages, closeCodes, serverMessages } from '../../contract/requests/websocket.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { asyncapiDocument } from './asyncapi.ts';
import { formatJson } from './json-text.ts';

const document = asyncapiDocument({ version: '0.1.0', baseUrl: 'http://127.0.0.1:8080/v1' });

/** `npx vitest run src/api/docs/asyncapi.test.ts -u` updates the document. */
it('docs/reference/asyncapi.json is up to date', async () => {
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
type Place = JsonObject & { messages?: Record<string, Reference>; parameters?: JsonObject; address: string };

/** Checks the rules of AsyncAPI 3.0 for the parts that we use. */
function errors(doc: JsonObject): string[] {
  const found: string[] = [];
  const only = (value: Json | undefined, where: string, names: string, required: string): void => {
    if (!isObject(value)) {
      found.push(`${where} is not an object`);
      return;
    }
    const known = names.split(' ');
    for (const key of Object.keys(value))
      if (!known.includes(key) && !key.startsWith('x-')) found.push(`${where}.${key} is not known`);
    for (const key of required.split(' '))
      if (key !== '' && value[key] === undefined) found.push(`${where}.${key} is missing`);
  };
  only(
    doc,
    '#',
    'asyncapi id info servers defaultContentType channels operations components',
    'asyncapi info',
  );
  if (!/^3\.0\.\d+$/.test(formatJson(doc['asyncapi']))) found.push('the version is not 3.0');
  only(
    doc['info'],
    'info',
    'title version description termsOfService contact license tags externalDocs',
    'title version',
  );
  for (const [name, server] of Object.entries((doc['servers'] ?? {}) as JsonObject)) {
    only(
      server,
      `servers.${name}`,
      'host protocol protocolVersion pathname description title summary variables security tags externalDocs bindings',
      'host protocol',
    );
    if (formatJson((server as JsonObject)['host']).includes('/'))
      found.push(`servers.${name}.host has a slash`);
  }
  const channels = (doc['channels'] ?? {}) as Record<string, Place>;
  for (const [name, channel] of Object.entries(channels)) {
    only(
      channel,
      `channels.${name}`,
      'address messages title summary description servers parameters tags externalDocs bindings',
      '',
    );
    const inAddress = [...channel.address.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    if (inAddress.join() !== Object.keys(channel.parameters ?? {}).join())
      found.push(`channels.${name} has other parameters than its address`);
    for (const parameter of Object.values(channel.parameters ?? {}))
      only(parameter, `channels.${name}.parameters`, 'enum default description examples location', '');
  }
  for (const [name, operation] of Object.entries((doc['operations'] ?? {}) as JsonObject)) {
    only(
      operation,
      `operations.${name}`,
      'action channel title summary description security tags externalDocs bindings traits messages reply',
      'action channel',
    );
    const { action, reply, ...rest } = operation as JsonObject & { reply?: JsonObject };
    if (action !== 'send' && action !== 'receive')
      found.push(`operations.${name}.action is ${formatJson(action)}`);
    for (const part of [rest, ...(reply === undefined ? [] : [reply])]) {
      const { $ref: channel } = part['channel'] as Reference;
      if (!/^#\/channels\/\w+$/.test(channel)) found.push(`operations.${name}.channel is not one of ours`);
      for (const { $ref: message } of (part['messages'] ?? []) as Reference[])
        if (!message.startsWith(`${channel}/messages/`))
          found.push(`operations.${name} has a message of another channel`);
    }
    if (reply !== undefined) only(reply, `operations.${name}.reply`, 'address channel messages', '');
  }
  const components = (doc['components'] ?? {}) as Record<string, JsonObject>;
  for (const [kind, entries] of Object.entries(components))
    for (const key of Object.keys(entries))
      if (!/^[\w.-]+$/.test(key)) found.push(`components.${kind}.${key} is not a name`);
  for (const [name, message] of Object.entries(components['messages'] ?? {})) {
    only(
      message,
      `components.messages.${name}`,
      'headers payload correlationId contentType name title summary description tags externalDocs bindings examples traits',
      '',
    );
    for (const example of (message as { examples?: Json[] }).examples ?? [])
      only(example, `components.messages.${name}.examples`, 'headers payload name summary', '');
  }
  for (const [, reference] of JSON.stringify(doc).matchAll(/"\$ref":"([^"]+)"/g))
    if (at(reference!, doc) === undefined) found.push(`${reference} leads nowhere`);
  return found;
}

it('follows the rules of AsyncAPI 3.0', () => {
  expect(errors(document)).toEqual([]);
});

it('the rule check finds errors', () => {
  const wrong = structuredClone(document) as Record<string, Record<string, JsonObject>>;
  delete wrong['info']!['version'];
  wrong['operations']!['send_error']!['action'] = 'publish';
  wrong['operations']!['send_log']!['messages'] = [{ $ref: '#/channels/socket/messages/ping' }];
  wrong['channels']!['log']!['address'] = '/executions/{execution}/logs';
  wrong['channels']!['socket']!['protocol'] = 'ws';
  wrong['components']!['schemas']!['Narrowing'] = { $ref: '#/components/schemas/Gone' };
  expect(errors(wrong as JsonObject)).toEqual([
    'info.version is missing',
    'channels.socket.protocol is not known',
    'channels.log has other parameters than its address',
    'operations.send_error.action is publish',
    'operations.send_log has a message of another channel',
    '#/components/schemas/Gone leads nowhere',
  ]);
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
