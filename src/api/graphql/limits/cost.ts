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
 *   cost(field)     = own + cost(its selection)                for a single value, or a list of plain data
 *   cost(list)      = own + items × (1 + cost(its selection))  items: the argument `limit`, or 10 without it
 *
 * Fragments count wherever they are spread. The own cost of a field is in its definition (`cost-rule.ts`) and
 * 0 by default.
 */

/** Items of a list without a limit argument. */
const DEFAULT_ITEMS = 10;
/** Costs are capped here, because larger values need not be exact. */
const MAX_COST = 1e9;

type Variables = Readonly<Record<string, unknown>>;
type Cost = { readonly fixed: number; readonly parts: readonly Part[] };
type Part = { readonly items: (variables: Variables) => number; readonly each: Cost };

/** Computes the cost of an operation with its variables. */
export type OperationCost = (variables: Variables) => number;

/**
 * Requires a valid document within the document limits. Fragments are expanded by reference, so each is
 * visited once.
 */
export function computeOperationCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): OperationCost {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  const known = new Map<FragmentDefinitionNode, Cost>();

  function addSelectionSet(set: SelectionSetNode, type: GraphQLObjectType): Cost {
    let fixed = 0;
    const parts: Part[] = [];
    for (const selection of set.selections) {
      const cost =
        selection.kind === Kind.FIELD
          ? addField(selection, type)
          : selection.kind === Kind.INLINE_FRAGMENT
            ? addSelectionSet(selection.selectionSet, type)
            : addFragment(fragments.get(selection.name.value), type);
      fixed = Math.min(MAX_COST, fixed + cost.fixed);
      for (const part of cost.parts) parts.push(part);
    }
    return { fixed, parts };
  }

  function addFragment(fragment: FragmentDefinitionNode | undefined, type: GraphQLObjectType): Cost {
    if (fragment === undefined) return { fixed: 0, parts: [] };
    let cost = known.get(fragment);
    if (cost === undefined) known.set(fragment, (cost = addSelectionSet(fragment.selectionSet, type)));
    return cost;
  }

  function addField(node: FieldNode, parent: GraphQLObjectType): Cost {
    const field = parent.getFields()[node.name.value];
    if (field === undefined) return { fixed: 0, parts: [] };
    const rule: CostRule = (field.extensions as WithCost).cost ?? {};
    const type = getNamedType(field.type);
    const inner: Cost =
      node.selectionSet === undefined || !isObjectType(type)
        ? { fixed: 0, parts: [] }
        : addSelectionSet(node.selectionSet, type);
    const own = rule.own ?? 0;
    if (rule.limit === undefined) return { fixed: own + inner.fixed, parts: inner.parts };
    const each = { fixed: inner.fixed + 1, parts: inner.parts };
    return { fixed: own, parts: [{ items: createItemCount(node, rule.limit), each }] };
  }

  const root = schema.getRootType(operation.operation);
  const cost =
    root === undefined || root === null
      ? { fixed: 0, parts: [] }
      : addSelectionSet(operation.selectionSet, root);
  return (variables) => sumCost(cost, variables, new Map());
}

function sumCost(cost: Cost, variables: Variables, known: Map<Part, number>): number {
  let sum = cost.fixed;
  for (const part of cost.parts) {
    let value = known.get(part);
    if (value === undefined)
      known.set(
        part,
        (value = Math.min(MAX_COST, part.items(variables) * sumCost(part.each, variables, known))),
      );
    sum += value;
  }
  return Math.min(MAX_COST, sum);
}

/** Reads the number of items from the literal argument or from the variables. */
function createItemCount(node: FieldNode, path: readonly string[]): (variables: Variables) => number {
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
      return clampLimit(given);
    };
  }
  const items = clampLimit(value.kind === Kind.INT ? Number(value.value) : MAX_PAGE_SIZE);
  return () => items;
}

/** Counts an invalid limit as the maximum; the service rejects it. */
function clampLimit(given: unknown): number {
  if (given === undefined || given === null) return DEFAULT_ITEMS;
  return typeof given === 'number' && given >= 1 && given <= MAX_PAGE_SIZE ? given : MAX_PAGE_SIZE;
}
