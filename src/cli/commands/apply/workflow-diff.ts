import type { CreateWorkflowInput, Workflow } from '../../../../sdk/src/index.ts';

/** One change of an apply. `before` is missing for an addition, `after` for a removal. */
export type Change = { readonly path: string; readonly before?: unknown; readonly after?: unknown };

type Node = { readonly id: string; readonly version?: string | undefined };

/**
 * Returns the differences between a stored workflow and a file. Fields that the file omits stay unchanged.
 */
export function diffWorkflow(stored: Workflow, wanted: CreateWorkflowInput): Change[] {
  const changes: Change[] = [];
  for (const field of ['name', 'description', 'status', 'tags'] as const) {
    if (wanted[field] !== undefined) changes.push(...listDifferences(field, stored[field], wanted[field]));
  }
  if (wanted.settings !== undefined)
    changes.push(...listDifferences('settings', withoutNull(stored.settings), withoutNull(wanted.settings)));
  if (wanted.definition !== undefined) {
    const { nodes = [], connections = [], annotations = [] } = wanted.definition;
    changes.push(
      ...nodeChanges(stored.definition.nodes, nodes),
      ...listChanges('connection', stored.definition.connections, connections, connectionText),
      ...listDifferences('annotations', stored.definition.annotations ?? [], annotations),
    );
  }
  return changes;
}

function nodeChanges(stored: readonly Node[], wanted: readonly Node[]): Change[] {
  const before = new Map(stored.map((node) => [node.id, node]));
  const after = new Set(wanted.map((node) => node.id));
  const gone = stored.filter((node) => !after.has(node.id));
  return [
    ...gone.map((node) => ({ path: `node ${node.id}`, before: node })),
    ...wanted.flatMap((node) => {
      const old = before.get(node.id);
      if (old === undefined) return [{ path: `node ${node.id}`, after: node }];
      // The service fills in the newest version of a node type; a file without a version accepts any.
      const { version: _version, ...unversioned } = old;
      return listDifferences(`node ${node.id}`, node.version === undefined ? unversioned : old, node);
    }),
  ];
}

function listChanges<T>(
  name: string,
  stored: readonly T[],
  wanted: readonly T[],
  format: (one: T) => string,
): Change[] {
  const before = new Map(stored.map((one) => [format(one), one]));
  const after = new Map(wanted.map((one) => [format(one), one]));
  return [
    ...[...before]
      .filter(([text]) => !after.has(text))
      .map(([text, one]) => ({ path: `${name} ${text}`, before: one })),
    ...[...after]
      .filter(([text]) => !before.has(text))
      .map(([text, one]) => ({ path: `${name} ${text}`, after: one })),
  ];
}

type Connection = Workflow['definition']['connections'][number] | { from: string; to: string };

function connectionText(connection: Connection): string {
  const { from, to, sourcePort, targetPort } = connection as { [name: string]: string | undefined };
  const end = (node: string | undefined, port: string | undefined): string =>
    port === undefined ? String(node) : `${node}:${port}`;
  return `${end(from, sourcePort)} → ${end(to, targetPort)}`;
}

/**
 * Returns the paths at which two JSON values differ, deepest first. Arrays of different length differ as a
 * whole.
 */
export function listDifferences(path: string, before: unknown, after: unknown): Change[] {
  const found: Change[] = [];
  const work: { path: string; before: unknown; after: unknown }[] = [{ path, before, after }];
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    const { path, before, after } = next;
    if (before === after) continue;
    if (isObject(before) && isObject(after)) {
      const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].reverse();
      for (const name of names)
        work.push({ path: `${path}.${name}`, before: before[name], after: after[name] });
    } else if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
      for (let i = before.length - 1; i >= 0; i--)
        work.push({ path: `${path}[${i}]`, before: before[i], after: after[i] });
    } else {
      found.push({
        path,
        ...(before === undefined ? {} : { before }),
        ...(after === undefined ? {} : { after }),
      });
    }
  }
  return found;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withoutNull(settings: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(settings).filter(([, value]) => value !== null && value !== undefined),
  );
}
