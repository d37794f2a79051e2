/**
 * The cost of a field: `own`, plus the cost of its selection. For a list, the cost of its selection plus 1 is
 * multiplied by the number of items. `limit` is the path of the argument with that number; `size` is for
 * lists without such an argument.
 */
export type CostRule = {
  readonly own?: number;
  readonly limit?: readonly string[];
  readonly size?: number;
};

export type WithCost = { readonly cost?: CostRule };

export const withCost = (rule: CostRule): { extensions: WithCost } => ({ extensions: { cost: rule } });
