import type { PackOperationDetail } from 'weft-client';
import type { Catalog, NodeType } from '../canvas/model/catalog.ts';
import type { Entry } from '../canvas/model/document.ts';
import { createStore } from '../data/store.ts';
import { resolveMcpNodeType } from './mcp/mcp-tools.ts';

/** Forms that are kept; the oldest ones are loaded again when they are needed. */
const MAX_FORMS = 500;

/** The node types of packs with the form of one operation, by version and operation. */
export const operationTypes = createStore<ReadonlyMap<string, NodeType>>(new Map());

/** The operation that a node runs; null for a node that is of no pack, or has none yet. */
export type NodeOperation = {
  readonly pack: string;
  readonly version: string;
  readonly operation: string;
};

export function readNodeOperation(type: NodeType | undefined, entry: Entry): NodeOperation | null {
  const operation = entry.config?.['operation'];
  if (type?.pack == null || typeof operation !== 'string' || operation === '') return null;
  return { pack: type.pack.name, version: entry.version ?? type.version, operation };
}

const formatKey = ({ pack, version, operation }: NodeOperation): string => `${pack} ${version} ${operation}`;

/** The type of a node: with the form of its operation or MCP tool, once that is loaded. */
export function resolveNodeType(catalog: Catalog, entry: Entry): NodeType | undefined {
  const type = catalog.get(entry.type);
  const operation = readNodeOperation(type, entry);
  if (operation === null) return resolveMcpNodeType(type, entry);
  return operationTypes.get().get(formatKey(operation)) ?? type;
}

export function rememberOperation(
  type: NodeType,
  operation: NodeOperation,
  detail: PackOperationDetail,
): void {
  const { description, config_schema, secret_fields } = detail;
  const next = new Map(operationTypes.get());
  next.set(formatKey(operation), {
    ...type,
    version: operation.version,
    description: description === '' ? type.description : description,
    config_schema,
    secret_fields,
  });
  for (const key of next.keys()) {
    if (next.size <= MAX_FORMS) break;
    next.delete(key);
  }
  operationTypes.set(next);
}
