import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../lib/json.ts';
import { compileSchema, fits, SchemaError } from './json-schema.ts';

/** Where Debian's libtest-json-schema-acceptance-perl has the public JSON-Schema-Test-Suite: the package of that name ends with draft 7. */
const suite = '/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance/tests/draft2020-12';
const isThere = existsSync(suite);

type Group = { description: string; schema: JsonObject | boolean; tests: Case[] };
type Case = { description: string; data: Json; valid: boolean };

/**
 * What is refused when the workflow is saved, and why. None of it is ever answered wrongly. The whole file, or those of its
 * groups.
 */
const REMOTE = 'it refers to another document, and nothing is fetched';
const SCOPES = '$dynamicRef between several schemas, each with an $id of its own';
const refused: Record<string, string | Record<string, string>> = {
  'refRemote.json': REMOTE,
  'dynamicRef.json': {
    'strict-tree schema, guards against misspelled properties': REMOTE,
    'tests for implementation dynamic anchor and reference link': REMOTE,
    '$ref and $dynamicAnchor are independent of order - $defs first': REMOTE,
    '$ref and $dynamicAnchor are independent of order - $ref first': REMOTE,
    'A $dynamicRef resolves to the first $dynamicAnchor still in scope that is encountered when the schema is evaluated':
      SCOPES,
    'A $dynamicRef without anchor in fragment behaves identical to $ref': SCOPES,
    "A $dynamicRef with intermediate scopes that don't include a matching $dynamicAnchor does not affect dynamic scope resolution":
      SCOPES,
    'An $anchor with the same name as a $dynamicAnchor is not used for dynamic scope resolution': SCOPES,
    'A $dynamicRef without a matching $dynamicAnchor in the same schema resource behaves like a normal $ref to $anchor':
      SCOPES,
    'A $dynamicRef with a non-matching $dynamicAnchor in the same schema resource behaves like a normal $ref to $anchor':
      SCOPES,
    'A $dynamicRef that initially resolves to a schema with a matching $dynamicAnchor resolves to the first $dynamicAnchor in the dynamic scope':
      SCOPES,
    'A $dynamicRef that initially resolves to a schema without a matching $dynamicAnchor behaves like a normal $ref to $anchor':
      SCOPES,
    'multiple dynamic paths to the $dynamicRef keyword': SCOPES,
    'after leaving a dynamic scope, it is not used by a $dynamicRef': SCOPES,
  },
  'unevaluatedItems.json': {
    'unevaluatedItems with nested items': 'unevaluatedItems beside items that apply only at times',
    'unevaluatedItems depends on adjacent contains': 'unevaluatedItems beside contains',
    'unevaluatedItems depends on multiple nested contains': 'unevaluatedItems beside contains',
    'unevaluatedItems and contains interact to control item dependency relationship':
      'unevaluatedItems beside contains',
  },
  'unknownKeyword.json': 'a keyword that is not one of JSON Schema is refused: it may be a slip of the pen',
  'vocabulary.json': 'a dialect other than 2020-12',
};

function reasonFor(file: string, group: string): string | undefined {
  const found = refused[file];
  return typeof found === 'string' ? found : found?.[group];
}

const files = isThere ? readdirSync(suite).filter((name) => name.endsWith('.json')) : [];
const groupsOf = (file: string): Group[] =>
  JSON.parse(readFileSync(path.join(suite, file), 'utf8')) as Group[];

/** The configuration takes an object: what a schema of one word means is said by one that holds it. */
function verdict({ schema }: Group, data: Json): boolean | SchemaError {
  try {
    return fits(compileSchema(typeof schema === 'boolean' ? { allOf: [schema] } : schema), data);
  } catch (error) {
    if (error instanceof SchemaError) return error;
    throw error;
  }
}

const counts = { passed: 0, refused: 0 };

describe.skipIf(!isThere)('the required tests of the JSON-Schema-Test-Suite for 2020-12', () => {
  test.each(files)('%s', (file) => {
    const wrong: string[] = [];
    for (const group of groupsOf(file))
      for (const one of group.tests) {
        const found = verdict(group, one.data);
        const isRefused = reasonFor(file, group.description) !== undefined;
        if (isRefused ? found instanceof SchemaError : found === one.valid)
          counts[isRefused ? 'refused' : 'passed'] += 1;
        else
          wrong.push(
            `${group.description} / ${one.description}: ${found instanceof SchemaError ? found.message : found}`,
          );
      }
    expect(wrong).toEqual([]);
  });

  test('is whole, and every exception is one', () => {
    console.log(
      `JSON-Schema-Test-Suite 2020-12: ${counts.passed} passed, ${counts.refused} refused when saved`,
    );
    expect(files.length).toBeGreaterThanOrEqual(45);
    expect(counts.passed + counts.refused).toBeGreaterThanOrEqual(1_176);
    expect(counts.refused).toBeLessThanOrEqual(81);
    for (const [file, groups] of Object.entries(refused)) {
      expect(files).toContain(file);
      if (typeof groups === 'string') continue;
      const names = groupsOf(file).map((group) => group.description);
      for (const name of Object.keys(groups)) expect(names).toContain(name);
    }
  });
});

test.runIf(!isThere)('the JSON-Schema-Test-Suite is not on this machine', ({ skip }) => {
  const hint = 'apt-get install libtest-json-schema-acceptance-perl';
  if (process.env['CI'] === 'true') throw new Error(`The JSON-Schema-Test-Suite is missing: ${hint}`);
  skip(`its tests are left out; ${hint}`);
});
