import type { NodeType } from '../../contract/node-type.ts';
import type { NpmManifest } from '../../contract/packs/npm-packs.ts';
import { packNodeType, type PackKind, type PackManifest } from '../../contract/packs/packs.ts';
import { createNodeTypes } from '../../nodes/catalog.ts';
import { limits } from '../../ports/limits.ts';
import type { NodeTypes } from '../../ports/node-types.ts';
import type { PackStore, PackSummary } from '../../ports/store/packs.ts';
import { decompressText } from './pack-encoding.ts';

export type PackCatalog = {
  /**
   * The node types of all users: built-in types and those of the packs that are installed now, by any
   * process. The same object until a pack is installed or removed.
   */
  types(): Promise<NodeTypes>;
  /** The installed packs by name and version, oldest version first. */
  packs(): Promise<readonly PackSummary[]>;
  /** Null when the version is not installed. */
  manifest(name: string, version: string): Promise<PackManifest | null>;
};

type InstalledPack = {
  readonly summary: PackSummary;
  readonly compressed: Uint8Array;
  readonly type: NodeType;
  /** Null: the pack has no triggers. */
  readonly trigger: NodeType | null;
};
type OpenedPack = { readonly manifest: PackManifest; readonly type: NodeType; readonly size: number };
type State = {
  readonly changes: number;
  readonly types: NodeTypes;
  readonly installed: Map<string, InstalledPack>;
};

/** The common parts of all node types of a kind of packs do not depend on the manifest. */
const EMPTY_PACK = {
  name: 'empty',
  version: '1.0.0',
  documentVersion: '1.0.0',
  title: '',
  description: '',
  servers: [],
  securitySchemes: [],
  operations: [],
  warnings: [],
} as const;
const EMPTY_MANIFESTS: Readonly<Record<PackKind, PackManifest>> = {
  openapi: { ...EMPTY_PACK, kind: 'openapi' },
  npm: {
    ...EMPTY_PACK,
    kind: 'npm',
    package: { name: '', integrity: '', signedBy: null, license: null },
    triggers: [],
  },
};

/**
 * Manifests are kept compressed, and read when something needs more of a node type than its list entry.
 * Without packs, only the number of changes is read.
 */
export function createPackCatalog(
  builtin: NodeTypes,
  store: Pick<PackStore, 'changes' | 'all' | 'manifest'>,
  createType: (manifest: PackManifest) => NodeType,
  /** Null: the pack has no triggers. */
  createTrigger: (manifest: NpmManifest) => NodeType | null = () => null,
): PackCatalog {
  let state: State = { changes: 0, types: builtin, installed: new Map() };
  let loading: { readonly changes: number; readonly done: Promise<State> } | null = null;
  const opened = new Map<string, OpenedPack>();
  let openedSize = 0;

  function open(key: string, compressed: Uint8Array): OpenedPack {
    let pack = opened.get(key);
    if (pack === undefined) {
      const text = decompressText(compressed);
      const manifest = JSON.parse(text) as PackManifest;
      pack = { manifest, type: createType(manifest), size: text.length };
      openedSize += pack.size;
    }
    opened.delete(key);
    opened.set(key, pack);
    for (const [oldest, { size }] of opened) {
      if (openedSize <= limits.packManifestChars || oldest === key) break;
      opened.delete(oldest);
      openedSize -= size;
    }
    return pack;
  }

  async function load(changes: number, before: State): Promise<State> {
    const installed = new Map<string, InstalledPack>();
    const bare = { openapi: createType(EMPTY_MANIFESTS.openapi), npm: createType(EMPTY_MANIFESTS.npm) };
    for (const summary of await store.all()) {
      const key = formatCacheKey(summary);
      const known = before.installed.get(key);
      if (known !== undefined) {
        installed.set(key, known);
        continue;
      }
      const manifest = await store.manifest(summary.name, summary.version);
      // Another process removed it since the list was read.
      if (manifest === null) continue;
      const compressed = Buffer.from(manifest, 'base64');
      const type = lazyNodeType(summary, bare[summary.kind], () => open(key, compressed).type);
      // The manifests of OpenAPI documents can be large, and they have no triggers.
      const trigger =
        summary.kind === 'npm' ? createTrigger(JSON.parse(decompressText(compressed)) as NpmManifest) : null;
      installed.set(key, { summary, compressed, type, trigger });
    }
    for (const [key, { size }] of opened) {
      if (installed.has(key)) continue;
      opened.delete(key);
      openedSize -= size;
    }
    return {
      changes,
      types: joinTypes(
        builtin,
        [...installed.values()].flatMap(({ summary, type, trigger }) => [
          ...(summary.operations === 0 ? [] : [type]),
          ...(trigger === null ? [] : [trigger]),
        ]),
      ),
      installed,
    };
  }

  async function current(): Promise<State> {
    // Read before the packs, so that a concurrent change is detected on the next call.
    const changes = await store.changes();
    if (changes === state.changes) return state;
    if (loading?.changes !== changes) {
      const done = load(changes, state);
      loading = { changes, done };
    }
    const mine = loading;
    try {
      const loaded = await mine.done;
      if (loaded.changes > state.changes) state = loaded;
      return loaded;
    } finally {
      if (loading === mine) loading = null;
    }
  }

  return {
    types: async () => (await current()).types,
    packs: async () => [...(await current()).installed.values()].map(({ summary }) => summary),
    async manifest(name, version) {
      for (const [key, { summary, compressed }] of (await current()).installed)
        if (summary.name === name && summary.version === version) return open(key, compressed).manifest;
      return null;
    },
  };
}

/** A version that was removed may be installed again with another document. */
function formatCacheKey({ name, version, documentHash, installedAt }: PackSummary): string {
  return `${name} ${version} ${documentHash} ${installedAt}`;
}

/**
 * A node type of which only the fields of a list entry exist before something reads another one. `bare` is
 * the node type of a pack without operations.
 */
function lazyNodeType(pack: PackSummary, bare: NodeType, open: () => NodeType): NodeType {
  const entry = {
    type: packNodeType(pack),
    version: pack.version,
    name: pack.title,
    category: bare.category,
    description: pack.description,
    icon: bare.icon,
    keywords: [],
    inputs: bare.inputs,
    outputs: bare.outputs,
    effects: bare.effects,
    isTrigger: false,
    fields: undefined,
    implementation: undefined,
    pack: {
      name: pack.name,
      operations: pack.operations,
      secretFields: Object.keys(bare.secrets ?? {}),
    },
  };
  return new Proxy(entry as unknown as NodeType, {
    get: (known, key) =>
      (Object.hasOwn(known, key) ? Reflect.get(known, key) : Reflect.get(open(), key)) as unknown,
    has: (known, key) => Object.hasOwn(known, key) || Reflect.has(open(), key),
  });
}

function joinTypes(builtin: NodeTypes, types: readonly NodeType[]): NodeTypes {
  if (types.length === 0) return builtin;
  const added = createNodeTypes(types);
  const all = [...builtin.all(), ...added.all()].sort((a, b) => (a.type < b.type ? -1 : 1));
  return {
    get: (type, version) => added.get(type, version) ?? builtin.get(type, version),
    all: () => all,
    versions: (type) => (added.get(type) === undefined ? builtin : added).versions(type),
  };
}
