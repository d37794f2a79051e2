import { isTrigger, type Catalog } from './catalog.ts';
import type { Doc, Entry, Point } from './document.ts';

type Target = {
  readonly from?: { readonly node: string } | undefined;
  readonly to?: object | undefined;
  readonly position?: Point | undefined;
  readonly screen?: Point | undefined;
};

/**
 * The manual trigger that a chosen trigger type replaces: the selected one, or the only trigger. Null: the
 * chosen trigger is added, as when it is dropped at a position or connected to a node.
 */
export function openTrigger(
  doc: Doc,
  catalog: Catalog,
  { from, to, position, screen }: Target,
): string | null {
  const isDropped = position !== undefined && screen === undefined;
  if (isDropped || to !== undefined) return null;
  const triggers = [...doc.nodes.values()].filter(({ type }) => isTrigger(catalog, type));
  const entry = triggers.find(({ id }) => id === from?.node) ?? (triggers.length === 1 ? triggers[0] : null);
  return entry !== null && entry !== undefined && isManual(entry) ? entry.id : null;
}

function isManual({ type, config }: Entry): boolean {
  return type === 'trigger' && (config?.['triggerType'] ?? 'manual') === 'manual';
}
