import { describe, expect, test } from 'vitest';
import { limits } from '../../../ports/limits.ts';
import { createDocuments } from '../documents.ts';
import { RequestError } from '../request-error.ts';
import { createSchema } from '../schema/schema.ts';
import type { GraphqlServices } from '../services.ts';
import { readThreadTime } from '../../../../test/support/time/thread-time.ts';

const { schema, publicFields } = createSchema({} as unknown as GraphqlServices);
const documents = createDocuments({ schema, publicFields, introspection: true });
const closed = createDocuments({ schema, publicFields, introspection: false });

/** The issue that a document is rejected with; null when it is accepted. */
function findLimitError(text: string, from = documents): string | null {
  try {
    from.prepare(text, null);
    return null;
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    const [first] = error.errors;
    expect(first?.extensions.code).toBe('VALIDATION_ERROR');
    return String(first?.extensions.details['issue']);
  }
}

const times = (count: number, text: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => text(i)).join(' ');

describe('each limit is accepted, and one more is rejected', () => {
  test('depth', () => {
    const deep = (levels: number): string =>
      `{ executions { ${'workflow { executions { '.repeat((levels - 2) / 2)} id ${'} }'.repeat((levels - 2) / 2)} } }`;
    expect(findLimitError(deep(limits.graphqlDepth))).toBeNull();
    expect(findLimitError(deep(limits.graphqlDepth + 2))).toBe(
      `must not have more than ${limits.graphqlDepth} levels of fields`,
    );
  });

  test('depth through fragments, in any order', () => {
    const parts = times(7, (i) => `fragment f${i} on Execution { workflow { executions { ...f${i + 1} } } }`);
    const last = 'fragment f7 on Execution { id }';
    const query = '{ executions { ...f0 } }';
    for (const text of [`${query} ${parts} ${last}`, `${last} ${parts} ${query}`])
      expect(findLimitError(text)).toContain('levels');
  });

  test('aliases', () => {
    const many = (count: number): string => `{ me { ${times(count, (i) => `a${i}: id`)} } }`;
    expect(findLimitError(many(limits.graphqlAliases))).toBeNull();
    expect(findLimitError(many(limits.graphqlAliases + 1))).toBe(
      `must not have more than ${limits.graphqlAliases} aliases`,
    );
  });

  test('aliases of introspection fields, which would multiply the result', () => {
    const inner = 'types { fields { type { name } } }';
    const types = '{ a: __type(name: "User") { name } b: __type(name: "Node") { ...T } }';
    expect(findLimitError(`${types} fragment T on __Type { name n: __typename }`)).toBeNull();
    for (const text of [
      `{ a: __schema { ${inner} } }`,
      '{ __schema { a: types { name } } }',
      '{ __schema { ...S } } fragment S on __Schema { types { ...T } } fragment T on __Type { a: fields { name } }',
      '{ __schema { ... on __Schema { types { ... { a: name } } } } }',
      '{ __type(name: "User") { a: fields { name } } }',
    ])
      expect(findLimitError(text), text).toContain('must not give an alias to');
  });

  test('root fields, including those in fragments', () => {
    const many = (count: number): string => `{ ${times(count, () => '__typename')} }`;
    expect(findLimitError(many(limits.graphqlRootFields))).toBeNull();
    expect(findLimitError(many(limits.graphqlRootFields + 1))).toBe(
      `must not have more than ${limits.graphqlRootFields} root fields`,
    );
    expect(
      findLimitError(`{ ...f ...f ...f } fragment f on Query { ${times(7, () => '__typename')} }`),
    ).toContain('root fields');
  });

  test('directives', () => {
    const many = (count: number): string =>
      `{ ${times(count / 5, () => `... @include(if: true) { me { id @skip(if: false) ${times(3, () => 'name @skip(if: false)')} } }`)} }`;
    expect(findLimitError(many(limits.graphqlDirectives))).toBeNull();
    expect(findLimitError(many(limits.graphqlDirectives + 5))).toBe(
      `must not have more than ${limits.graphqlDirectives} directives`,
    );
  });

  test('fields, tokens, brackets', () => {
    // Validation rejects this many identical fields before the limit applies.
    expect(findLimitError(`{ me { ${times(limits.graphqlFields - 1, () => 'id')} } }`)).not.toContain(
      'has more',
    );
    expect(findLimitError(`{ me { ${times(limits.graphqlFields, () => 'id')} } }`)).toBe(
      `must not have more than ${limits.graphqlFields} fields`,
    );
    expect(findLimitError(`{ ${'a '.repeat(limits.graphqlTokens)} }`)).toBe(
      `must not have more than ${limits.graphqlTokens} tokens`,
    );
    expect(findLimitError(`{ a(x: ${'['.repeat(4_000)}${']'.repeat(4_000)}) }`)).toContain('nested brackets');
    expect(findLimitError('{'.repeat(9_000))).toContain('nested brackets');
  });

  test('cyclic fragments', () => {
    expect(
      findLimitError('{ me { ...a } } fragment a on User { ...b } fragment b on User { id ...a }'),
    ).toContain('spread each other');
    expect(findLimitError('{ me { ...a } } fragment a on User { ...a }')).toContain('spread each other');
  });

  test('names with a meaning in JavaScript', () => {
    expect(findLimitError('{ __proto__: me { id } }')).toContain('__proto__');
    expect(findLimitError('{ constructor: me { toString: id } }')).toBeNull();
  });

  test('full introspection is accepted, deeper introspection is not', () => {
    expect(
      findLimitError(
        '{ __schema { types { name fields { name type { name ofType { name ofType { name ofType { name ofType { name ofType { name } } } } } } } } } }',
      ),
    ).toBeNull();
    expect(
      findLimitError(
        '{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }',
      ),
    ).not.toBeNull();
  });
});

describe('disabled introspection', () => {
  test('the schema cannot be queried, and no message contains its names', () => {
    expect(findLimitError('{ __schema { types { name } } }', closed)).toContain('introspection');
    expect(findLimitError('{ __type(name: "User") { name } }', closed)).toContain('introspection');
    expect(findLimitError('{ __typename }', closed)).toBeNull();
    expect(findLimitError('{ workflow { id } }', closed)).not.toContain('Did you mean');
    expect(findLimitError('{ workflowz { id } }', closed)).not.toContain('Did you mean');
    expect(findLimitError('{ workflowz { id } }')).toContain('Did you mean');
  });
});

describe('cost', () => {
  const cost = (text: string, variables: Record<string, unknown> = {}): number =>
    documents.prepare(text, null).cost(variables);

  test('a list costs its items, each with its selection', () => {
    expect(cost('{ me { id } }')).toBe(1);
    expect(cost('{ workflows { id } }')).toBe(1 + 10);
    expect(
      cost(
        '{ workflows(filter: { limit: 100 }) { id definition { nodes { id } } executions(limit: 5) { id } } }',
      ),
    ).toBe(1 + 100 * (1 + 1 + 5));
    expect(cost('{ executions(filter: { limit: 50 }) { input output } }')).toBe(1 + 50 * (1 + 3 + 3));
    expect(cost('{ workflowsPage(filter: { limit: 7 }) { workflows { id } pagination { total } } }')).toBe(
      1 + 7,
    );
  });

  test('limits in variables count with their values', () => {
    const whole = 'query ($f: WorkflowFilter) { workflows(filter: $f) { id } }';
    expect(cost(whole, { f: { limit: 3 } })).toBe(1 + 3);
    expect(cost(whole, { f: null })).toBe(1 + 10);
    expect(cost(whole)).toBe(1 + 10);
    expect(
      cost('query ($n: Int) { workflows(filter: { limit: $n }) { executions(limit: $n) { id } } }', {
        n: 20,
      }),
    ).toBe(1 + 20 * 21);
    expect(cost(whole, { f: { limit: 1e9 } })).toBe(1 + 100);
    expect(cost(whole, { f: { limit: -5 } })).toBe(1 + 100);
  });

  test('a fragment counts each time it is spread', () => {
    const doubled = (levels: number): string =>
      `{ executions { ...f0 } } ${times(levels, (i) => `fragment f${i} on Execution { a: workflow { executions(limit: 100) { ...f${i + 1} } } b: workflow { executions(limit: 100) { ...f${i + 1} } } }`)} fragment f${levels} on Execution { id }`;
    expect(cost(doubled(5))).toBeGreaterThan(1e8);
  });

  test('at most one password is hashed in an operation', () => {
    const login = (n: number): string =>
      `mutation { ${times(n, (i) => `a${i}: login(input: {}) { token }`)} }`;
    expect(cost(login(1))).toBeLessThanOrEqual(limits.graphqlCost);
    expect(cost(login(2))).toBeGreaterThan(limits.graphqlCost);
  });
});

describe('operations without a credential', () => {
  const isPublic = (text: string): boolean => documents.prepare(text, null).isPublic;
  test.each([
    ['mutation { login(input: {}) { token __typename } }', true],
    ['mutation { refresh { token } __typename }', true],
    ['{ health { status } }', true],
    ['{ __schema { queryType { name } } }', true],
    ['{ __typename }', false],
    ['{ health { status } me { id } }', false],
    ['{ ...f } fragment f on Query { health { status } ... { me { id } } }', false],
    ['mutation { login(input: {}) { token } logout }', false],
    ['subscription { systemHealth { status } }', false],
  ])('%s: %s', (text, expected) => {
    expect(isPublic(text)).toBe(expected);
  });
});

describe('malicious documents are processed quickly', () => {
  const bombs: [string, string][] = [
    ['the same field a thousand times', `{ me { ${times(999, () => 'id')} } }`],
    [
      'many fragments in one selection',
      `{ me { ${times(600, (i) => `...f${i}`)} } } ${times(600, (i) => `fragment f${i} on User { id }`)}`,
    ],
    [
      'a chain of fragments',
      `{ me { ...f0 } } ${times(1_200, (i) => `fragment f${i} on User { ...f${i + 1} }`)} fragment f1200 on User { id }`,
    ],
    [
      'fragments that double the fields',
      `{ me { ...f0 } } ${times(400, (i) => `fragment f${i} on User { ...f${i + 1} ...f${i + 1} id }`)} fragment f400 on User { id }`,
    ],
    ['unknown fields', `{ ${times(18, (i) => `workflow${i}`)} me { ${times(900, (i) => `nam${i}`)} } }`],
    [
      'a literal with many values',
      `{ nodes(filter: { search: "x" }) { id } } query b($x: JSON = [${times(9_000, () => '1')}]) { me { id } }`,
    ],
    ['comments', `${'#\n'.repeat(100_000)} { me { id } }`],
  ];
  test.each(bombs)('%s', (_name, text) => {
    const began = readThreadTime();
    findLimitError(text);
    expect(readThreadTime() - began).toBeLessThan(1_500);
  });
});

test('the document cache is bounded', () => {
  for (let i = 0; i < limits.graphqlDocuments * 2; i++) documents.prepare(`{ me { id } } # ${i}`, null);
  const long = '#'.repeat(200_000);
  for (let i = 0; i < 50; i++) documents.prepare(`{ me { id } } # ${i} ${long}`, null);
  expect(findLimitError('{ me { id } }')).toBeNull();
});
