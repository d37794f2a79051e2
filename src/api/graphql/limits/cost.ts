import {
  Kind,
  getNamedType,
  isObjectType,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { MAX_PAGE_SIZE } from '../../../contract/paging.ts';
import type { CostRule, WithCost } from './cost-rule.ts';

/*
 * The cost of an operation, of the document once and of the variables at every run:
 *
 *   cost(selection) = the sum of its fields' costs
 *   cost(field)     = own + cost(its selection)                  of a field that is no list, or a list of plain data
 *   cost(list)      = own + items × (1 + cost(its selection))    where items is what `limit` allows: 10 unless it is given
 *
 * A fragment is counted wherever it is spread. What a field's own cost is, its definition says (`cost-rule.ts`); 0 unless it does.
 */

/** Items of a list whose limit is not given. */
const DEFAULT_ITEMS = 10;
/** Beyond this nobody needs to know how much exactly. */
const ENOUGH = 1e9;

type Variables = Readonly<Record<string, unknown>>;
type Cost = { readonly fixed: number; readonly parts: readonly Part[] };
type Part = { readonly items: (variables: Variables) => number; readonly each: Cost };

/** Null: the same whatever the variables. */
export type OperationCost = (variables: Variables) => number;

/** The document must be valid, and small: fragments are expanded by reference, so each is looked at once. */
export function costOfOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): OperationCost {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  const known = new Map<FragmentDefinitionNode, Cost>();

  function ofSet(set: SelectionSetNode, type: GraphQLObjectType): Cost {
    let fixed = 0;
    const parts: Part[] = [];
    for (const selection of set.selections) {
      const cost =
        selection.kind === Kind.FIELD
          ? ofField(selection, type)
          : selection.kind === Kind.INLINE_FRAGMENT
            ? ofSet(selection.selectionSet, type)
            : ofFragment(fragments.get(selection.name.value), type);
      fixed = Math.min(ENOUGH, fixed + cost.fixed);
      for (const part of cost.parts) parts.push(part);
    }
    return { fixed, parts };
  }

  function ofFragment(fragment: FragmentDefinitionNode | undefined, type: GraphQLObjectType): Cost {
    if (fragment === undefined) return { fixed: 0, parts: [] };
    let cost = known.get(fragment);
    if (cost === undefined) known.set(fragment, (cost = ofSet(fragment.selectionSet, type)));
    return cost;
  }

  function ofField(node: FieldNode, parent: GraphQLObjectType): Cost {
    const field = parent.getFields()[node.name.value];
    if (field === undefined) return { fixed: 0, parts: [] };
    const rule: CostRule = (field.extensions as WithCost).cost ?? {};
    const type = getNamedType(field.type);
    const inner: Cost =
      node.selectionSet === undefined || !isObjectType(type)
        ? { fixed: 0, parts: [] }
        : ofSet(node.selectionSet, type);
    const own = rule.own ?? 0;
    if (rule.limit === undefined) return { fixed: own + inner.fixed, parts: inner.parts };
    const each = { fixed: inner.fixed + 1, parts: inner.parts };
    return { fixed: own, parts: [{ items: itemsOf(node, rule.limit), each }] };
  }

  const root = schema.getRootType(operation.operation);
  const cost =
    root === undefined || root === null ? { fixed: 0, parts: [] } : ofSet(operation.selectionSet, root);
  return (variables) => total(cost, variables, new Map());
}

function total(cost: Cost, variables: Variables, known: Map<Part, number>): number {
  let sum = cost.fixed;
  for (const part of cost.parts) {
    let value = known.get(part);
    if (value === undefined)
      known.set(part, (value = Math.min(ENOUGH, part.items(variables) * total(part.each, variables, known))));
    sum += value;
  }
  return Math.min(ENOUGH, sum);
}

/** How many items the arguments allow: read off the document where it stands there, else off the variables. */
function itemsOf(node: FieldNode, path: readonly string[]): (variables: Variables) => number {
  const [argument, ...rest] = path;
  let value: ValueNode | undefined = node.arguments?.find((each) => each.name.value === argument)?.value;
  let at = 0;
  while (value?.kind === Kind.OBJECT && at < rest.length) {
    const name = rest[at++];
    value = value.fields.find((each) => each.name.value === name)?.value;
  }
  if (value === undefined || value.kind === Kind.NULL) return () => DEFAULT_ITEMS;
  if (value.kind === Kind.VARIABLE) {
    const name = value.name.value;
    const left = rest.slice(at);
    return (variables) => {
      let given: unknown = variables[name];
      for (const key of left) given = (given as Record<string, unknown> | null | undefined)?.[key];
      return bounded(given);
    };
  }
  const items = bounded(value.kind === Kind.INT ? Number(value.value) : MAX_PAGE_SIZE);
  return () => items;
}

/** What is out of range is refused by the service before it costs anything. */
function bounded(given: unknown): number {
  if (given === undefined || given === null) return DEFAULT_ITEMS;
  return typeof given === 'number' && given >= 1 && given <= MAX_PAGE_SIZE ? given : MAX_PAGE_SIZE;
}
