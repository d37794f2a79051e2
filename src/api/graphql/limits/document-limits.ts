import { Kind, Lexer, Source, TokenKind, type DocumentNode, type SelectionSetNode } from 'graphql';
import { limits } from '../../../ports/limits.ts';
import { refuse, refuseLimit } from '../request-error.ts';

/*
 * What a document may be, told before it is validated: some rules of the validation take the square of what they look at.
 * Nothing here recurses over the document but along fragments, of which each is looked at once.
 */

/**
 * Refuses a text with too many tokens, or brackets so deep within brackets that the parser, which recurses, would run out of
 * stack.
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
      if (++depth > limits.graphqlNesting)
        throw refuseLimit('brackets within each other', limits.graphqlNesting);
    } else if (
      token.kind === TokenKind.BRACE_R ||
      token.kind === TokenKind.BRACKET_R ||
      token.kind === TokenKind.PAREN_R
    )
      depth--;
    else if (token.kind === TokenKind.NAME && token.value === '__proto__')
      throw refuse('query', 'names __proto__, which is not allowed');
  }
}

/** What one selection set holds, without what lies behind fragments. */
type Measure = {
  /** Fields directly in it. */
  fields: number;
  /** Levels of fields, introspection apart. */
  depth: number;
  /** Fragments that are spread in it, with the level at which they are. */
  spreads: { name: string; level: number }[];
};

/** @throws {RequestError} for the first limit that the document breaks. */
export function requireSmallDocument(document: DocumentNode): void {
  const counts = { fields: 0, aliases: 0, directives: 0 };
  const fragments = new Map<string, Measure>();
  const operations: Measure[] = [];
  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) {
      counts.directives += definition.directives?.length ?? 0;
      operations.push(measure(definition.selectionSet, counts));
    } else if (definition.kind === Kind.FRAGMENT_DEFINITION) {
      counts.directives += definition.directives?.length ?? 0;
      const isIntrospection = definition.typeCondition.name.value.startsWith('__');
      fragments.set(definition.name.value, measure(definition.selectionSet, counts, isIntrospection));
    } else throw refuse('query', 'takes operations and fragments only');
  }
  const whole = wholes(fragments);
  for (const operation of operations) {
    const { rootFields, depth } = wholeOf(operation, (name) => whole.get(name));
    if (rootFields > limits.graphqlRootFields) throw refuseLimit('root fields', limits.graphqlRootFields);
    if (depth > limits.graphqlDepth) throw refuseLimit('levels', limits.graphqlDepth);
  }
}

function measure(
  root: SelectionSetNode,
  counts: { fields: number; aliases: number; directives: number },
  isOfIntrospection = false,
): Measure {
  const found: Measure = { fields: 0, depth: 0, spreads: [] };
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
      // The schema is the same however often it is asked for, and public: one short document must not get it a thousand times.
      if (selection.alias !== undefined && name !== '__typename' && (isIntrospection || name === '__schema'))
        throw refuse('query', `gives an alias to ${name}, a field of the introspection`);
      const isApart = isIntrospection || name === '__schema' || name === '__type';
      if (level === 0 && !isIntrospection) found.fields++;
      if (!isApart) found.depth = Math.max(found.depth, level + 1);
      if (selection.selectionSet !== undefined)
        open.push({ set: selection.selectionSet, level: level + 1, isIntrospection: isApart });
    }
  }
  return found;
}

type Whole = { rootFields: number; depth: number };

function wholeOf(measure: Measure, fragment: (name: string) => Whole | undefined): Whole {
  const whole = { rootFields: measure.fields, depth: measure.depth };
  for (const { name, level } of measure.spreads) {
    const inner = fragment(name);
    // A fragment that is not there is told by the validation.
    if (inner === undefined) continue;
    if (level === 0) whole.rootFields = Math.min(whole.rootFields + inner.rootFields, limits.graphqlFields);
    whole.depth = Math.max(whole.depth, level + inner.depth);
  }
  return whole;
}

/** Every fragment with what it spreads, innermost first. @throws {RequestError} when fragments spread each other in a circle. */
function wholes(fragments: ReadonlyMap<string, Measure>): ReadonlyMap<string, Whole> {
  const done = new Map<string, Whole>();
  const under = new Set<string>();
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
          wholeOf(own, (inner) => done.get(inner)),
        );
        under.delete(name);
        open.pop();
        continue;
      }
      under.add(name);
      for (const { name: inner } of missing) {
        if (under.has(inner)) throw refuse('query', `has fragments that spread each other: ${inner}`);
        open.push(inner);
      }
    }
  }
  return done;
}
