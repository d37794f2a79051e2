import {
  Kind,
  visit,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';

/** Runs one query, several times faster than the interpreter. The variables must have been found right. */
export type Compiled = (
  context: unknown,
  variables: Readonly<Record<string, unknown>>,
) => Promise<ExecutionResult>;

/**
 * Compiles a query that may be compiled; null for all others, which the interpreter runs. The compiler writes a program out of
 * the document, so nothing of a document that is more than names and numbers may reach it: see `mayCompile`.
 */
export function compile(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): Compiled | null {
  if (operation.operation !== 'query' || !mayCompile(document)) return null;
  const compiled = compileQuery(schema, document, operation.name?.value, {
    disablingCapturingStackErrors: true,
  });
  if (!isCompiledQuery(compiled)) return null;
  return async (context, variables) => compiled.query(undefined, context, variables);
}

/**
 * - Texts: the compiler (0.8.9) puts literals into its program, and there is a text that comes out of that as code. So no
 *   document with a text in it is compiled; the text of a variable never reaches the compiler.
 * - Names with two underscores in front: introspection is not worth it, and such an alias means something to JavaScript.
 * - Directives: `@skip` and `@include` along fragments are not always as they should be in the compiler.
 * - Variables inside of lists and objects: what is not given there is left out in one and null in the other.
 */
export function mayCompile(document: DocumentNode): boolean {
  let may = true;
  let nested = 0;
  const no = (): void => void (may = false);
  visit(document, {
    [Kind.STRING]: no,
    [Kind.DIRECTIVE]: no,
    [Kind.NAME]: (node) => {
      if (node.value.startsWith('__') && node.value !== '__typename') no();
    },
    [Kind.LIST]: { enter: () => void nested++, leave: () => void nested-- },
    [Kind.OBJECT]: { enter: () => void nested++, leave: () => void nested-- },
    [Kind.VARIABLE]: () => {
      if (nested > 0) no();
    },
  });
  return may;
}
