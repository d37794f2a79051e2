import {
  GraphQLError,
  Kind,
  NoSchemaIntrospectionCustomRule,
  parse,
  specifiedRules,
  validate,
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { limits } from '../../ports/limits.ts';
import { listContractNames, findLiteralField } from './schema/contract-fields.ts';
import { computeOperationCost, type OperationCost } from './limits/cost.ts';
import { requireShortText, requireSmallDocument } from './limits/document-limits.ts';
import { RequestError, refuse, showDocumentError } from './request-error.ts';

/** One operation of a document, ready to run. */
export type PreparedOperation = {
  readonly document: DocumentNode;
  readonly node: OperationDefinitionNode;
  /** True when the operation has only public root fields and introspection, and needs no credential. */
  readonly isPublic: boolean;
  readonly cost: OperationCost;
};

export type Documents = {
  /** Parses, validates and caches a document, and selects the operation. @throws {RequestError} */
  prepare(text: string, operationName: string | null): PreparedOperation;
};

type CachedDocument = { readonly operations: ReadonlyMap<string | null, PreparedOperation> };

export function createDocuments(options: {
  readonly schema: GraphQLSchema;
  readonly publicFields: ReadonlySet<string>;
  /** When false, introspection is rejected and messages do not contain names of the schema. */
  readonly introspection: boolean;
}): Documents {
  const { schema, publicFields, introspection } = options;
  const rules = introspection ? specifiedRules : [...specifiedRules, NoSchemaIntrospectionCustomRule];
  const names = listContractNames(schema);
  const kept = new Map<string, CachedDocument>();
  let chars = 0;

  function read(text: string): CachedDocument {
    const document = parseDocument(text);
    requireSmallDocument(document);
    const errors = validate(schema, document, rules, {
      maxErrors: limits.graphqlErrors,
      hideSuggestions: !introspection,
    });
    if (errors.length > 0)
      throw new RequestError(
        errors
          .slice(0, limits.graphqlErrors)
          .map((error) => showDocumentError(error, (one) => findLiteralField(document, one, names))),
      );
    const operations = new Map<string | null, PreparedOperation>();
    for (const node of document.definitions)
      if (node.kind === Kind.OPERATION_DEFINITION)
        operations.set(node.name?.value ?? null, {
          document,
          node,
          isPublic: isPublic(listRootFields(document, node)),
          cost: computeOperationCost(schema, document, node),
        });
    return { operations };
  }

  /**
   * Introspection is public, like the SDL. A query with only `__typename` is not, because it would bypass
   * authentication.
   */
  function isPublic(names: readonly string[]): boolean {
    const asked = names.filter((name) => name !== '__typename');
    return (
      asked.length > 0 &&
      asked.every((name) => publicFields.has(name) || name === '__schema' || name === '__type')
    );
  }

  return {
    prepare(text, operationName) {
      let found = kept.get(text);
      if (found === undefined) {
        found = read(text);
        chars += text.length;
      } else kept.delete(text);
      kept.set(text, found);
      for (const oldest of kept.keys()) {
        if (kept.size <= limits.graphqlDocuments && chars <= limits.graphqlDocumentChars) break;
        kept.delete(oldest);
        chars -= oldest.length;
      }
      return selectOperation(found.operations, operationName);
    },
  };
}

function parseDocument(text: string): DocumentNode {
  try {
    requireShortText(text);
    return parse(text, { maxLexicalTokens: limits.graphqlTokens });
  } catch (error) {
    if (error instanceof GraphQLError) throw new RequestError([showDocumentError(error)]);
    throw error;
  }
}

function selectOperation(
  operations: ReadonlyMap<string | null, PreparedOperation>,
  name: string | null,
): PreparedOperation {
  if (name !== null) {
    const found = operations.get(name);
    if (found === undefined)
      throw refuse('operationName', `is not an operation of the document: ${name.slice(0, 100)}`);
    return found;
  }
  const [only, ...others] = operations.values();
  if (only === undefined) throw refuse('query', 'must have an operation');
  if (others.length > 0)
    throw refuse('operationName', 'is required, because the document has several operations');
  return only;
}

/** The names of the root fields of an operation, including those in fragments. */
function listRootFields(document: DocumentNode, operation: OperationDefinitionNode): string[] {
  const found: string[] = [];
  const seen = new Set<string>();
  const open = [operation.selectionSet];
  for (let set = open.pop(); set !== undefined; set = open.pop()) {
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) found.push(selection.name.value);
      else if (selection.kind === Kind.INLINE_FRAGMENT) open.push(selection.selectionSet);
      else if (!seen.has(selection.name.value)) {
        seen.add(selection.name.value);
        for (const each of document.definitions)
          if (each.kind === Kind.FRAGMENT_DEFINITION && each.name.value === selection.name.value)
            open.push(each.selectionSet);
      }
    }
  }
  return found;
}
