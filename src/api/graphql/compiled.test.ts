import { parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { compile, mayCompile } from './compiled.ts';
import { createSchema } from './schema.ts';
import type { GraphqlServices } from './services.ts';

const { schema } = createSchema({} as unknown as GraphqlServices);

describe('what is compiled', () => {
  test.each([
    ['{ me { id } }', true],
    [
      'query named($id: ID!, $n: Int = 3) { workflow(id: $id) { executions(limit: $n) { ...f } } } fragment f on Execution { id }',
      true,
    ],
    ['{ workflows(filter: { limit: 5 }) { id __typename } }', true],
    ['{ workflow(id: "wf_1") { id } }', false],
    ['{ workflow(id: """wf_1""") { id } }', false],
    ['query ($f: WorkflowFilter = { search: "x" }) { workflows(filter: $f) { id } }', false],
    ['{ me { id @include(if: true) } }', false],
    ['{ __schema { description } }', false],
    ['{ __x: me { id } }', false],
    ['query ($n: Int) { workflows(filter: { limit: $n }) { id } }', false],
  ])('%s: %s', (text, expected) => {
    const document = parse(text);
    expect(mayCompile(document)).toBe(expected);
    const [operation] = document.definitions;
    if (operation?.kind !== 'OperationDefinition') throw new Error('no operation');
    expect(compile(schema, document, operation) !== null).toBe(expected);
  });

  test('a mutation is not', () => {
    const document = parse('mutation { logout }');
    const [operation] = document.definitions;
    if (operation?.kind !== 'OperationDefinition') throw new Error('no operation');
    expect(compile(schema, document, operation)).toBeNull();
  });

  /** graphql-jit 0.8.9 makes code of this text when it stands in a document. */
  test('a text in a document never becomes code', () => {
    const marker = '__MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74d';
    const attack = `${marker}globalThis.wasRun = true`;
    for (const text of [
      `{ nodes(filter: { search: "${attack}" }) { id } }`,
      `{ a: node(id: """${attack}""") { id } }`,
      `query ($s: String = "${attack}") { nodes(filter: { search: $s }) { id } }`,
    ])
      expect(mayCompile(parse(text))).toBe(false);
  });
});
