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
import { readContractName } from './input-types.ts';

/*
 * Converts type errors of GraphQL to the names and messages of the contract, as a service would report them:
 * for `input: {settings: {maxConcurrency: "x"}}` the field is `settings.max_concurrency`.
 */

/** All errors in the variables of an operation. */
export function findVariableErrors(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[],
  variables: Readonly<Record<string, unknown>>,
  hideSuggestions: boolean,
): FieldError[] {
  const errors: FieldError[] = [];
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
        if (errors.length < limits.graphqlErrors)
          errors.push({
            field: formatPath(name, type, [...path, ...readNamedField(error)]),
            issue: convertMessage(error),
          });
      },
      hideSuggestions,
    );
  }
  return errors;
}

/** GraphQL reports a missing or unknown field at its parent object; the name is only in the message. */
function readNamedField({ message }: GraphQLError): string[] {
  const [, name] = /\b(?:required|unknown) field "([^"]{1,200})"/.exec(message) ?? [];
  return name === undefined ? [] : [name];
}

/** The types of the scalars, in the words of the contract's messages. */
const typeNames: Readonly<Record<string, string>> = {
  String: 'a string',
  ID: 'a string',
  Int: 'a whole number',
  Float: 'a number',
  Boolean: 'true or false',
};

/** Converts a message of GraphQL to that of a service, without the value, which may be a secret. */
function convertMessage({ message }: GraphQLError): string {
  if (/\brequired field "/.test(message) || /\bnon-null type\b/.test(message)) return 'is required';
  if (/\bunknown field "/.test(message)) return 'is not a known field';
  if (/\bto be an object\b/.test(message)) return 'must be an object';
  const [, scalar = ''] = /\b(String|ID|Int|Float|Boolean) cannot represent\b/.exec(message) ?? [];
  const kind = typeNames[scalar];
  return kind === undefined ? message : `must be ${kind}`;
}

function formatPath(variable: string, given: GraphQLInputType, path: readonly (string | number)[]): string {
  let type: GraphQLInputType | null = given;
  // Fields of an input object are fields of the body; other arguments are fields themselves.
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
    field = appendKey(field, inner === undefined ? step : readContractName(inner));
    type = inner?.type ?? null;
  }
  return field;
}

/** The contract names of all input fields and arguments whose GraphQL name differs. */
export function listContractNames(schema: GraphQLSchema): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const type of Object.values(schema.getTypeMap()))
    if (type instanceof GraphQLInputObjectType)
      for (const field of Object.values(type.getFields())) names.set(field.name, readContractName(field));
  return names;
}

/** The input field that a validation error is about; `query` without one. */
export function findLiteralField(
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
      field = formatTrail([...ancestors, parent ?? document, each], names);
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

function formatTrail(
  trail: readonly (ASTNode | readonly ASTNode[])[],
  names: ReadonlyMap<string, string>,
): string {
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
