/**
 * What a field costs, beside what is selected in it: `own`, and where it is a list, 1 and the selection once more for each item
 * that `limit` allows. `limit` is where the number stands in the arguments; `size` is for lists that take none.
 */
export type CostRule = {
  readonly own?: number;
  readonly limit?: readonly string[];
  readonly size?: number;
};

export type WithCost = { readonly cost?: CostRule };

export const costOf = (rule: CostRule): { extensions: WithCost } => ({ extensions: { cost: rule } });
