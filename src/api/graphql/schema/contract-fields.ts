import {
  GraphQLInputObjectType,
  Kind,
  isInputObjectType,
  isListType,
  isNonNullType,
  typeFromAST,
  validateInputValue,
  visit,
  BREAK,
  type ASTNode,
  type DocumentNode,
  type GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  type VariableDefinitionNode,
} from 'graphql';
import type { FieldError } from '../../../contract/errors.ts';
import { appendKey } from '../../../lib/json/json-path.ts';
import { limits } from '../../../ports/limits.ts';
import { contractNameOf } from './input-types.ts';

/*
 * Faults of types are told by GraphQL, in its own names; these functions tell them in the contract's, as a service would: of
 * `input: {settings: {maxConcurrency: "x"}}` the field is `settings.max_concurrency`.
 */

/** Everything that is wrong with the variables of an operation. */
export function variableFaults(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[],
  variables: Readonly<Record<string, unknown>>,
  hideSuggestions: boolean,
): FieldError[] {
  const faults: FieldError[] = [];
  for (const definition of definitions) {
    const name = definition.variable.name.value;
    const type = typeFromAST(schema, definition.type) as GraphQLInputType | undefined;
    if (type === undefined) continue;
    const isGiven = Object.hasOwn(variables, name);
    if (!isGiven && (definition.defaultValue !== undefined || !isNonNullType(type))) continue;
    validateInputValue(
      isGiven ? variables[name] : undefined,
      type,
      (error, path) => {
        if (faults.length < limits.graphqlErrors)
          faults.push({ field: pathOf(name, type, [...path, ...namedIn(error)]), issue: issueIn(error) });
      },
      hideSuggestions,
    );
  }
  return faults;
}

/** A field that is missing or unknown is told at the object that it should, or should not, be in: only the message names it. */
function namedIn({ message }: GraphQLError): string[] {
  const [, name] = /\b(?:required|unknown) field "([^"]{1,200})"/.exec(message) ?? [];
  return name === undefined ? [] : [name];
}

/** What each scalar takes, in the words of the contract's checks. */
const kinds: Readonly<Record<string, string>> = {
  String: 'a string',
  ID: 'a string',
  Int: 'a whole number',
  Float: 'a number',
  Boolean: 'true or false',
};

/** As a service would say it, and without the value: it is the caller's own, and may be a secret. */
function issueIn({ message }: GraphQLError): string {
  if (/\brequired field "/.test(message) || /\bnon-null type\b/.test(message)) return 'is required';
  if (/\bunknown field "/.test(message)) return 'is not a known field';
  if (/\bto be an object\b/.test(message)) return 'must be an object';
  const [, scalar = ''] = /\b(String|ID|Int|Float|Boolean) cannot represent\b/.exec(message) ?? [];
  const kind = kinds[scalar];
  return kind === undefined ? message : `must be ${kind}`;
}

function pathOf(variable: string, given: GraphQLInputType, path: readonly (string | number)[]): string {
  let type: GraphQLInputType | null = given;
  // The fields of an input object are those of the body; any other argument is a field itself.
  let field =
    isInputObjectType(isNonNullType(given) ? given.ofType : given) && path.length > 0 ? '' : variable;
  for (const step of path) {
    if (type !== null && isNonNullType(type)) type = type.ofType as GraphQLInputType;
    if (typeof step === 'number') {
      field = appendKey(field, step);
      if (isListType(type)) type = type.ofType as GraphQLInputType;
      continue;
    }
    const inner: ReturnType<GraphQLInputObjectType['getFields']>[string] | undefined =
      type instanceof GraphQLInputObjectType ? type.getFields()[step] : undefined;
    field = appendKey(field, inner === undefined ? step : contractNameOf(inner));
    type = inner?.type ?? null;
  }
  return field;
}

/** The contract's names of all input fields and arguments that GraphQL spells in another way. */
export function contractNames(schema: GraphQLSchema): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const type of Object.values(schema.getTypeMap()))
    if (type instanceof GraphQLInputObjectType)
      for (const field of Object.values(type.getFields())) names.set(field.name, contractNameOf(field));
  return names;
}

/** Of which field of an input an error of the validation is; `query` when of none. */
export function literalField(
  document: DocumentNode,
  error: GraphQLError,
  names: ReadonlyMap<string, string>,
): string {
  const [node] = error.nodes ?? [];
  if (node === undefined || !isValue(node)) return 'query';
  let field = 'query';
  visit(document, {
    enter(each, _key, parent, _path, ancestors) {
      if (each !== node) return undefined;
      field = named([...ancestors, parent ?? document, each], names);
      return BREAK;
    },
  });
  return field;
}

const valueKinds: ReadonlySet<string> = new Set([
  Kind.INT,
  Kind.FLOAT,
  Kind.STRING,
  Kind.BOOLEAN,
  Kind.NULL,
  Kind.ENUM,
  Kind.LIST,
  Kind.OBJECT,
  Kind.OBJECT_FIELD,
  Kind.ARGUMENT,
]);

function isValue(node: ASTNode): boolean {
  return valueKinds.has(node.kind);
}

function named(trail: readonly (ASTNode | readonly ASTNode[])[], names: ReadonlyMap<string, string>): string {
  let argument = '';
  let field = '';
  for (const [i, step] of trail.entries()) {
    if (Array.isArray(step)) {
      const list = trail[i - 1] as ASTNode | undefined;
      const item = trail[i + 1] as ASTNode | undefined;
      if (list?.kind === Kind.LIST && item !== undefined) field = appendKey(field, step.indexOf(item));
      continue;
    }
    const node = step as ASTNode;
    if (node.kind === Kind.ARGUMENT) {
      argument = node.name.value;
      field = '';
    } else if (node.kind === Kind.OBJECT_FIELD)
      field = appendKey(field, names.get(node.name.value) ?? node.name.value);
  }
  if (argument === '') return 'query';
  return field === '' ? argument : field;
}
