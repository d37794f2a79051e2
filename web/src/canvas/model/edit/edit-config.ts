import type { Catalog } from '../catalog.ts';
import type { Doc, JsonObject, Connection } from '../document.ts';
import { removeCrossBodyConnections } from './edit-connections.ts';
import { replaceNode } from './edit-nodes.ts';
import { listDynamicOutputs } from '../structure.ts';

/** Sets a node's configuration. Connections follow renamed ports; those of removed ports are removed. */
export function setConfig(doc: Doc, catalog: Catalog, id: string, config: JsonObject): Doc {
  const entry = doc.nodes.get(id);
  if (entry === undefined) return doc;
  const next = { ...entry, config };
  const was = listDynamicOutputs(entry).map(({ name }) => name);
  const is = listDynamicOutputs(next).map(({ name }) => name);
  const placed = removeCrossBodyConnections(replaceNode(doc, next), catalog);
  if (was.length === 0 || was.join('\n') === is.join('\n')) return placed;
  const names = new Map(
    was.flatMap((name, i) =>
      is.includes(name) || was.length !== is.length ? [] : [[name, is[i]!] as const],
    ),
  );
  const connections = placed.connections.flatMap((connection): Connection[] => {
    if (connection.from !== id || connection.sourcePort === undefined || !was.includes(connection.sourcePort))
      return [connection];
    if (is.includes(connection.sourcePort)) return [connection];
    const sourcePort = names.get(connection.sourcePort);
    return sourcePort === undefined ? [] : [{ ...connection, sourcePort }];
  });
  return { ...placed, connections };
}
