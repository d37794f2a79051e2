import type { Catalogue, NodeType } from '../model/catalogue.ts';

const order: readonly [category: string, title: string][] = [
  ['trigger', 'Triggers'],
  ['flow', 'Flow'],
  ['data', 'Data'],
  ['http', 'HTTP'],
  ['connector', 'Services'],
  ['code', 'Code'],
  ['ai', 'AI'],
  ['custom', 'Yours'],
];

export function groupTitle(category: string): string {
  return order.find(([one]) => one === category)?.[1] ?? category;
}

/** All types in the order in which they are shown. */
export function orderedTypes(catalogue: Catalogue): NodeType[] {
  const place = (category: string): number => {
    const at = order.findIndex(([one]) => one === category);
    return at === -1 ? order.length : at;
  };
  return [...catalogue.values()].toSorted(
    (a, b) => place(a.category) - place(b.category) || a.name.localeCompare(b.name),
  );
}
