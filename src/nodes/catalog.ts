import type { NodeType } from '../contract/node-type.ts';

/** Lookup of node types; implements the port in `ports/node-types.ts`. */
type Catalog = {
  get(type: string, version?: string): NodeType | undefined;
  all(): readonly NodeType[];
  versions(type: string): readonly NodeType[];
};

/** Sorts types by name and versions from newest to oldest. Throws if a type and version occur twice. */
export function createNodeTypes(list: readonly NodeType[]): Catalog {
  const byType = new Map<string, NodeType[]>();
  for (const type of [...list].sort((a, b) => (a.type < b.type ? -1 : 1))) {
    const versions = byType.get(type.type) ?? [];
    if (versions.some((other) => other.version === type.version))
      throw new Error(`The node type ${type.type} is listed twice with version ${type.version}`);
    versions.push(type);
    versions.sort((a, b) => compareVersions(b.version, a.version));
    byType.set(type.type, versions);
  }
  const newest = Object.freeze([...byType.values()].flatMap((versions) => versions.slice(0, 1)));
  return {
    get(type, version) {
      const versions = byType.get(type);
      return version === undefined ? versions?.[0] : versions?.find((entry) => entry.version === version);
    },
    all: () => newest,
    versions: (type) => byType.get(type) ?? [],
  };
}

function compareVersions(a: string, b: string): number {
  const left = a.split('.').map(Number);
  const right = b.split('.').map(Number);
  for (let i = 0; i < 3; i++) {
    const order = (left[i] ?? 0) - (right[i] ?? 0);
    if (order !== 0) return order;
  }
  return 0;
}
