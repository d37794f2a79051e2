import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { compileSchema, matchesSchema } from './json-schema.ts';

/**
 * Where Debian's libtest-json-schema-acceptance-perl has the public JSON-Schema-Test-Suite: the package of
 * that name ends with draft 7.
 */
const share = '/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance';
const suite = path.join(share, 'tests/draft2020-12');
const isThere = existsSync(suite);

type Group = { description: string; schema: JsonObject | boolean; tests: Case[] };
type Case = { description: string; data: Json; valid: boolean };

const files = isThere ? readdirSync(suite).filter((name) => name.endsWith('.json')) : [];
const readGroups = (file: string): Group[] =>
  JSON.parse(readFileSync(path.join(suite, file), 'utf8')) as Group[];

/**
 * The documents that the suite has on a server at localhost:1234, by their address there: they are provided,
 * not fetched. For all drafts the ones that its tests of 2020-12 name.
 */
const shared = ['different-id-ref-string.json', 'nested-absolute-ref-to-string.json', 'urn-ref-string.json'];
const remotes = path.join(share, 'remotes');
const ofDraft = isThere ? readdirSync(path.join(remotes, 'draft2020-12'), { recursive: true }) : [];
const documents = Object.fromEntries(
  [...(isThere ? shared : []), ...ofDraft.map((name) => `draft2020-12/${String(name)}`)]
    // One is an object of schemas and none itself; two are for the optional tests.
    .filter((name) => name.endsWith('.json') && !/\/subSchemas\.json|format-assertion/.test(name))
    .map((name) => [
      `http://localhost:1234/${name}`,
      JSON.parse(readFileSync(path.join(remotes, name), 'utf8')) as JsonObject,
    ]),
);

/** The configuration must be an object: what a schema of one word means is said by one that holds it. */
const toSchemaObject = ({ schema }: Group): JsonObject =>
  typeof schema === 'boolean' ? { allOf: [schema] } : schema;

let count = 0;

describe.skipIf(!isThere)('the required tests of the JSON-Schema-Test-Suite for 2020-12', () => {
  test.each(files)('%s', (file) => {
    const wrong: string[] = [];
    for (const group of readGroups(file)) {
      const schema = toSchemaObject(group);
      const needsDocuments = JSON.stringify(schema).includes('localhost:1234');
      const check = needsDocuments ? compileSchema(schema, documents) : compileSchema(schema);
      for (const one of group.tests) {
        count += 1;
        if (matchesSchema(check, one.data) !== one.valid)
          wrong.push(`${group.description} / ${one.description}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test('is whole', () => {
    console.log(`JSON-Schema-Test-Suite 2020-12: ${count} tests`);
    expect(files.length).toBeGreaterThanOrEqual(45);
    expect(count).toBeGreaterThanOrEqual(1_176);
  });
});

test.runIf(!isThere)('the JSON-Schema-Test-Suite is not on this machine', ({ skip }) => {
  const hint = 'apt-get install libtest-json-schema-acceptance-perl';
  if (process.env['CI'] === 'true') throw new Error(`The JSON-Schema-Test-Suite is missing: ${hint}`);
  skip(`its tests are left out; ${hint}`);
});
