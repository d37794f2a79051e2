import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';
import { oddValues, RawJson } from './malformed-json.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import type { FuzzService } from './fuzz-service.ts';

export type Operation = { query: string; variables: Record<string, unknown>; isValid: boolean };

/** These end sessions that others need, or compute a password hash. */
const rare = new Set([
  'login',
  'logout',
  'refresh',
  'createUser',
  'updateUser',
  'changePassword',
  'deleteUser',
]);
const MAX_DEPTH = 4;

/**
 * Generates operations of a schema: valid ones with arbitrary arguments, invalid ones, and ones that exceed
 * limits.
 */
export function createDocuments(schema: GraphQLSchema, service: FuzzService) {
  function generateArgument(type: GraphQLInputType, name: string, random: SeededRandom, depth = 0): unknown {
    if (random.is(0.08)) {
      const value = random.pick(oddValues);
      return value instanceof RawJson ? 0 : value;
    }
    if (!isNonNullType(type) && random.is(depth === 0 ? 0.4 : 0.6)) return undefined;
    const bare = getNullableType(type);
    if (isListType(bare))
      return Array.from({ length: random.int(3) }, () =>
        generateArgument(bare.ofType as GraphQLInputType, name, random, depth + 1),
      );
    if (isEnumType(bare)) return random.pick(bare.getValues()).name;
    if (isInputObjectType(bare)) {
      const object: Record<string, unknown> = {};
      if (depth < MAX_DEPTH)
        for (const field of Object.values(bare.getFields())) {
          const value = generateArgument(field.type, field.name, random, depth + 1);
          if (value !== undefined) object[field.name] = value;
        }
      return object;
    }
    return generateScalar(getNamedType(bare).name, name, random);
  }

  function generateScalar(type: string, name: string, random: SeededRandom): unknown {
    const hints = findHints(name, random);
    if (hints !== undefined && random.is(0.8)) return random.pick(hints);
    switch (type) {
      case 'Int':
        return random.pick([1, 2, 10, 0, -1, 101, 2_147_483_647]);
      case 'Float':
        return random.int(1_000) / 7;
      case 'Boolean':
        return random.is(0.5);
      case 'JSON':
        return random.pick<unknown>([{}, { a: [1, { b: null }] }, 'x', 5, null, []]);
      case 'DateTime':
        return '2026-01-02T03:04:05.678Z';
      default:
        return random.text(20);
    }
  }

  function findHints(name: string, random: SeededRandom): readonly unknown[] | undefined {
    const { own, victims } = service;
    const all = (kind: string): string[] => [...own[kind]!, ...own[kind]!, ...victims[kind]!];
    const known: Record<string, () => readonly unknown[]> = {
      id: () =>
        all(
          random.pick(['workflows', 'workflows', 'executions', 'executions', 'api-keys', 'oauth', 'nodes']),
        ),
      workflowId: () => all('workflows'),
      executionId: () => all('executions'),
      name: () => [...all('templates'), ...all('secrets'), ...all('connections'), 'a name'],
      templateName: () => [...all('templates'), `template ${random.int(1e6)}`],
      nodeType: () => [`node_${random.int(1e6)}`, 'http_request'],
      email: () => service.emails,
      password: () => ['a wrong password'],
      currentPassword: () => ['a wrong password'],
      wait: () => ['0s', '10ms'],
      page: () => [1, 1, 2],
      limit: () => [1, 2, 5],
      version: () => [1, 2, '1.0.0'],
      definition: () => [
        { nodes: [{ id: 'a', type: 'trigger', config: { triggerType: 'manual' } }], connections: [] },
        { nodes: [{ id: 'a', type: 'while', config: {} }], connections: [{ from: 'a', to: 'b' }] },
      ],
    };
    return known[name]?.();
  }

  /** A selection of fields of a type. Arguments are variables, declared in `used`. */
  function generateSelection(
    type: GraphQLObjectType,
    random: SeededRandom,
    used: Map<string, [string, unknown]>,
    depth: number,
  ): string {
    const fields = Object.values(type.getFields());
    const parts = random.is(0.15) ? ['__typename'] : [];
    for (let left = 1 + random.int(4); left > 0; left--) {
      const text = generateField(random.pick(fields), random, used, depth);
      if (text !== null) parts.push(text);
    }
    return parts.length === 0 ? '__typename' : parts.join(' ');
  }

  function generateField(
    field: GraphQLField<unknown, unknown>,
    random: SeededRandom,
    used: Map<string, [string, unknown]>,
    depth: number,
  ): string | null {
    const type = getNamedType(field.type);
    if (isObjectType(type) && depth >= MAX_DEPTH) return null;
    const args: string[] = [];
    for (const { name, type } of field.args) {
      const value = generateArgument(type, name, random);
      if (value === undefined) continue;
      const variable = `v${used.size}`;
      used.set(variable, [String(type), value]);
      args.push(`${name}: $${variable}`);
    }
    const given = args.length === 0 ? '' : `(${args.join(', ')})`;
    // A field may be selected twice with different arguments, so each gets an alias.
    const alias = given === '' ? '' : `f${used.size}_${random.int(1e6)}: `;
    if (!isObjectType(type)) return `${alias}${field.name}${given}`;
    return `${alias}${field.name}${given} { ${generateSelection(type, random, used, depth + 1)} }`;
  }

  function right(random: SeededRandom): Operation {
    const kind = random.is(0.3) ? 'mutation' : 'query';
    const root = kind === 'mutation' ? schema.getMutationType()! : schema.getQueryType()!;
    const fields = Object.values(root.getFields()).filter(({ name }) => !rare.has(name) || random.is(0.03));
    const used = new Map<string, [string, unknown]>();
    const parts: string[] = [];
    while (parts.length === 0 || (parts.length < 3 && random.is(0.3))) {
      const text = generateField(random.pick(fields), random, used, 1);
      if (text !== null) parts.push(text);
    }
    const declared = [...used].map(([name, [type]]) => `$${name}: ${type}`).join(', ');
    const variables = Object.fromEntries([...used].map(([name, [, value]]) => [name, value]));
    const head = declared === '' ? kind : `${kind} Q(${declared})`;
    return { query: `${head} { ${parts.join(' ')} }`, variables, isValid: true };
  }

  function broken(random: SeededRandom): Operation {
    const { query, variables } = right(random);
    const tokens = query.split(/(?<=[\s{}():$,!])/);
    for (let times = 1 + random.int(3); times > 0; times--) {
      const at = random.int(tokens.length);
      const odd = random.pick([
        '',
        '{',
        '}',
        '(',
        ')',
        '@skip(if: true) ',
        '@x ',
        '...',
        '... on Query ',
        '$',
        '"',
        '"""',
        '#',
        '\u0000',
        '\ufeff',
        '__proto__ ',
        'constructor ',
        '__schema { types { name } } ',
        '1e999 ',
        '[',
        '&',
        'fragment ',
        'null ',
        '\\ud800',
        '𝕏',
      ]);
      if (random.is(0.5)) tokens.splice(at, 0, odd);
      else tokens[at] = odd;
    }
    return { query: tokens.join(''), variables, isValid: false };
  }

  return {
    next(random: SeededRandom): Operation {
      if (random.is(0.55)) return right(random);
      if (random.is(0.7)) return broken(random);
      return { ...random.pick(expensiveDocuments), isValid: false };
    },
  };
}

const times = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');

/** Operations that exceed limits: each is rejected, or completed immediately. */
export const expensiveDocuments: readonly { query: string; variables: Record<string, unknown> }[] = [
  `{ ${'workflows { executions { workflow { '.repeat(20)} id ${'} } }'.repeat(20)} }`,
  `{ ${'workflows { '.repeat(3_000)} id ${'}'.repeat(3_000)} }`,
  `{ ${'{'.repeat(10_000)}`,
  `{ me { ${times(1_000, (index) => `a${index}: id`)} } }`,
  `{ ${times(500, (index) => `a${index}: workflows { id }`)} }`,
  `{ ${times(9_000, () => '__typename')} }`,
  `{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }`,
  `{ ...a } fragment a on Query { ...a me { id } }`,
  `{ ...f0 } ${times(200, (index) => `fragment f${index} on Query { ...f${index + 1} ...f${index + 1} }`)} fragment f200 on Query { __typename }`,
  `{ ...f0 } ${times(30, (index) => `fragment f${index} on Query { a${index}: me { id } ...f${index + 1} ...f${index + 1} }`)} fragment f30 on Query { __typename }`,
  `{ me ${'@skip(if: false) '.repeat(1_000)} { id } }`,
  `{ me ${'@x '.repeat(60)} { id } }`,
  `query (${times(3_000, (index) => `$v${index}: Int`)}) { me { id } }`,
  `{ workflows(filter: { search: "${'x'.repeat(200_000)}" }) { id } }`,
  `{ workflows(filter: ${'{ search: '.repeat(500)} 1 ${'}'.repeat(500)}) { id } }`,
  `{ workflow(id: ${'['.repeat(5_000)}${']'.repeat(5_000)}) { id } }`,
  `{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }`,
  `{ ${times(20, (index) => `s${index}: __schema { types { name } }`)} }`,
  `{ __schema { ...S } } fragment S on __Schema { types { ...T } } fragment T on __Type { ${times(20, (index) => `f${index}: fields { name }`)} }`,
  `{ ${times(20, (index) => `t${index}: __type(name: "Mutation") { fields { name description args { name type { name fields { name } } } } }`)} }`,
  `{ workflows(filter: { limit: 100 }) { executions(limit: 100) { nodes(limit: 100) { input } } } }`,
  times(500, (index) => `query q${index} { me { id } }`),
  `subscription { systemHealth { status } }`,
  `subscription { a: systemHealth { status } b: systemHealth { status } }`,
  `type Query { a: Int } { me { id } }`,
  `mutation { ${times(21, (index) => `a${index}: deleteWorkflow(id: "x")`)} }`,
  '#'.repeat(200_000),
  `{ me { ${'id '.repeat(2_000)} } }`,
].map((query) => ({ query, variables: {} }));
