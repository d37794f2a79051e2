import type { Definition, NodeEntry } from '../../contract/definition.ts';
import { validationError } from '../../contract/errors.ts';
import type { NodeTypes } from '../../ports/node-types.ts';

function triggersOf(definition: Definition, types: NodeTypes): NodeEntry[] {
  return definition.nodes.filter(({ type, version }) => types.get(type, version)?.isTrigger === true);
}

/** A run by hand enters by the first manual trigger, else by the first of any kind: another one would never be reached. */
export function requireReachedByHand(definition: Definition, until: string, types: NodeTypes): void {
  const triggers = triggersOf(definition, types);
  const entry = triggers.find(({ config }) => config?.['triggerType'] === 'manual') ?? triggers[0];
  if (entry?.id === until || !triggers.some(({ id }) => id === until)) return;
  throw validationError([
    { field: 'until', issue: `is a trigger, and a run by hand enters by another one: ${entry?.id}` },
  ]);
}

/** An execution stays with the trigger by which it was entered. */
export function requireSameEntry(
  definition: Definition,
  from: string,
  entry: string | null,
  types: NodeTypes,
): void {
  if (entry === null || from === entry) return;
  if (!triggersOf(definition, types).some(({ id }) => id === from)) return;
  throw validationError([
    { field: 'from', issue: `is a trigger, and the execution was entered by another one: ${entry}` },
  ]);
}
