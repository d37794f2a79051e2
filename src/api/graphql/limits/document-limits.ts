import { Kind, Lexer, Source, TokenKind, type DocumentNode, type SelectionSetNode } from 'graphql';
import { limits } from '../../../ports/limits.ts';
import { refuse, refuseLimit } from '../request-error.ts';

/*
 * Limits of a document that are checked before validation, because some validation rules take quadratic time.
 * The checks only recurse over fragments, each of which is visited once.
 */

/**
 * Rejects a text with too many tokens, or with brackets nested so deep that the recursive parser would
 * overflow the stack.
 * @throws {RequestError | GraphQLError}
 */
export function requireShortText(text: string): void {
  const lexer = new Lexer(new Source(text));
  let tokens = 0;
  let depth = 0;
  for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
    if (++tokens > limits.graphqlTokens) throw refuseLimit('tokens', limits.graphqlTokens);
    if (
      token.kind === TokenKind.BRACE_L ||
      token.kind === TokenKind.BRACKET_L ||
      token.kind === TokenKind.PAREN_L
    ) {
      if (++depth > limits.graphqlNesting) throw refuseLimit('nested brackets', limits.graphqlNesting);
    } else if (
      token.kind === TokenKind.BRACE_R ||
      token.kind === TokenKind.BRACKET_R ||
      token.kind === TokenKind.PAREN_R
    )
      depth--;
    else if (token.kind === TokenKind.NAME && token.value === '__proto__')
      throw refuse('query', 'must not contain __proto__');
  }
}

/** The size of one selection set, without its fragments. */
type SelectionSize = {
  /** Number of direct fields. */
  fields: number;
  /** Depth of fields, without introspection. */
  depth: number;
  /** The fragments that are spread in it, with their depth. */
  spreads: { name: string; level: number }[];
};

/** @throws {RequestError} for the first limit that the document exceeds. */
export function requireSmallDocument(document: DocumentNode): void {
  const counts = { fields: 0, aliases: 0, directives: 0 };
  const fragments = new Map<string, SelectionSize>();
  const operations: SelectionSize[] = [];
  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) {
      counts.directives += definition.directives?.length ?? 0;
      operations.push(measureSelection(definition.selectionSet, counts));
    } else if (definition.kind === Kind.FRAGMENT_DEFINITION) {
      counts.directives += definition.directives?.length ?? 0;
      const isIntrospection = definition.typeCondition.name.value.startsWith('__');
      fragments.set(
        definition.name.value,
        measureSelection(definition.selectionSet, counts, isIntrospection),
      );
    } else throw refuse('query', 'must contain only operations and fragments');
  }
  const totals = computeTotals(fragments);
  for (const operation of operations) {
    const { rootFields, depth } = addFragments(operation, (name) => totals.get(name));
    if (rootFields > limits.graphqlRootFields) throw refuseLimit('root fields', limits.graphqlRootFields);
    if (depth > limits.graphqlDepth) throw refuseLimit('levels of fields', limits.graphqlDepth);
  }
}

function measureSelection(
  root: SelectionSetNode,
  counts: { fields: number; aliases: number; directives: number },
  isOfIntrospection = false,
): SelectionSize {
  const found: SelectionSize = { fields: 0, depth: 0, spreads: [] };
  const open: { set: SelectionSetNode; level: number; isIntrospection: boolean }[] = [
    { set: root, level: 0, isIntrospection: isOfIntrospection },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { set, level, isIntrospection } = next;
    for (const selection of set.selections) {
      counts.directives += selection.directives?.length ?? 0;
      if (counts.directives > limits.graphqlDirectives)
        throw refuseLimit('directives', limits.graphqlDirectives);
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        found.spreads.push({ name: selection.name.value, level: isIntrospection ? 0 : level });
        continue;
      }
      if (selection.kind === Kind.INLINE_FRAGMENT) {
        open.push({ set: selection.selectionSet, level, isIntrospection });
        continue;
      }
      if (++counts.fields > limits.graphqlFields) throw refuseLimit('fields', limits.graphqlFields);
      if (selection.alias !== undefined && ++counts.aliases > limits.graphqlAliases)
        throw refuseLimit('aliases', limits.graphqlAliases);
      const { value: name } = selection.name;
      // Introspection is public and its result is the same for every alias, so aliases would only multiply
      // its cost.
      if (selection.alias !== undefined && name !== '__typename' && (isIntrospection || name === '__schema'))
        throw refuse('query', `must not give an alias to the introspection field ${name}`);
      const isApart = isIntrospection || name === '__schema' || name === '__type';
      if (level === 0 && !isIntrospection) found.fields++;
      if (!isApart) found.depth = Math.max(found.depth, level + 1);
      if (selection.selectionSet !== undefined)
        open.push({ set: selection.selectionSet, level: level + 1, isIntrospection: isApart });
    }
  }
  return found;
}

type Totals = { rootFields: number; depth: number };

/** Adds the totals of the fragments that a selection spreads. */
function addFragments(size: SelectionSize, readTotals: (name: string) => Totals | undefined): Totals {
  const totals = { rootFields: size.fields, depth: size.depth };
  for (const { name, level } of size.spreads) {
    const inner = readTotals(name);
    // Validation reports missing fragments.
    if (inner === undefined) continue;
    if (level === 0) totals.rootFields = Math.min(totals.rootFields + inner.rootFields, limits.graphqlFields);
    totals.depth = Math.max(totals.depth, level + inner.depth);
  }
  return totals;
}

/**
 * Computes the totals of all fragments, innermost first. @throws {RequestError} when fragments form a cycle.
 */
function computeTotals(fragments: ReadonlyMap<string, SelectionSize>): ReadonlyMap<string, Totals> {
  const done = new Map<string, Totals>();
  const ancestors = new Set<string>();
  for (const start of fragments.keys()) {
    const open = [start];
    for (let name = open.at(-1); name !== undefined; name = open.at(-1)) {
      const own = fragments.get(name);
      if (own === undefined || done.has(name)) {
        open.pop();
        continue;
      }
      const missing = own.spreads.filter((each) => fragments.has(each.name) && !done.has(each.name));
      if (missing.length === 0) {
        done.set(
          name,
          addFragments(own, (inner) => done.get(inner)),
        );
        ancestors.delete(name);
        open.pop();
        continue;
      }
      ancestors.add(name);
      for (const { name: inner } of missing) {
        if (ancestors.has(inner))
          throw refuse('query', `must not have fragments that spread each other: ${inner}`);
        open.push(inner);
      }
    }
  }
  return done;
}
