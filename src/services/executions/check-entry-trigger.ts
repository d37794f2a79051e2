import { isPackTriggerType } from '../../contract/packs/packs.ts';
import type { Definition, NodeEntry } from '../../contract/definition.ts';
import { createValidationError } from '../../contract/errors.ts';
import type { NodeTypes } from '../../ports/node-types.ts';

function listTriggers(definition: Definition, types: NodeTypes): NodeEntry[] {
  return definition.nodes.filter(
    ({ type, version }) => isPackTriggerType(type) || types.get(type, version)?.isTrigger === true,
  );
}

/** Requires that an execution keeps its entry trigger. */
export function checkEntryTrigger(
  definition: Definition,
  from: string,
  entry: string | null,
  types: NodeTypes,
): void {
  if (entry === null || from === entry) return;
  if (!listTriggers(definition, types).some(({ id }) => id === from)) return;
  throw createValidationError([
    { field: 'from', issue: `is a trigger, and the execution was entered by another one: ${entry}` },
  ]);
}
