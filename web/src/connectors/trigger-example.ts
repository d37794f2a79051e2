import type { Catalog } from '../canvas/model/catalog.ts';
import type { Doc, Entry } from '../canvas/model/document.ts';
import { isRecord } from '../node-panel/model/field-path.ts';
import { createSampleOutput } from '../node-panel/model/sample-output.ts';

/** The trigger of a pack in a workflow whose only enabled trigger it is. */
export function findOnlyPackTrigger({ nodes }: Doc, catalog: Catalog): Entry | null {
  const triggers = [...nodes.values()].filter(
    ({ type, disabled }) => disabled !== true && catalog.get(type)?.category === 'trigger',
  );
  const [only] = triggers;
  return only !== undefined && triggers.length === 1 && only.type !== 'trigger' ? only : null;
}

/** What the trigger passes to the workflow, with the pack's example of an item. Null: the pack has none. */
export function createTriggerExample(
  { type, config = {} }: Entry,
  catalog: Catalog,
): Record<string, unknown> | null {
  const example = createSampleOutput(catalog.get(type), { config, input: undefined });
  return isRecord(example) && example['item'] != null ? example : null;
}
