import type { NodeEntry } from '../../contract/definition.ts';
import { createValidationError } from '../../contract/errors.ts';
import { errorPort } from '../../engine/graph/graph.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import type { NodeTypes } from '../../ports/node-types.ts';

/**
 * The values of a pinned output by port. `ports`: the output ports that it uses; null: the first port of the
 * node. `fields`: the names of the output and its ports in errors. @throws {WeftError} VALIDATION_ERROR for a
 * port that the node does not have, and if the output is not an object by port for several ports.
 */
export function readPinnedOutput(
  { output, ports }: { output: Json; ports: readonly string[] | null },
  node: NodeEntry,
  types: NodeTypes,
  fields: { output: string; ports: string },
): Record<string, Json> {
  const known = listOutputPorts(node, types);
  const used = ports ?? [known[0]!];
  const unknown = used.find((port) => !known.includes(port));
  if (unknown !== undefined) {
    const issue = `has no output port ${unknown}: it has ${known.join(', ')}`;
    throw createValidationError([{ field: fields.ports, issue }]);
  }
  const [only, ...more] = used;
  if (more.length === 0) return { [only!]: output };
  if (isObject(output) && hasKeys(output, used)) return output;
  const issue = `must be an object with a value for each port of ${fields.ports}: ${used.join(', ')}`;
  throw createValidationError([{ field: fields.output, issue }]);
}

/** The names of a node's output ports, `error` last. */
function listOutputPorts({ type, version, config = {} }: NodeEntry, types: NodeTypes): string[] {
  const found = types.get(type, version);
  const ports = [found?.outputs ?? [], found?.dynamicOutputs?.(config) ?? []].flat();
  const names = ports.length === 0 ? ['out'] : ports.map(({ name }) => name);
  return found?.isTrigger === true ? names : names.concat(errorPort);
}

function hasKeys(object: JsonObject, keys: readonly string[]): boolean {
  return Object.keys(object).length === new Set(keys).size && keys.every((key) => Object.hasOwn(object, key));
}
