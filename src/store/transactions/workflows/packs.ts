import { toTriggerType } from '../../../contract/packs/packs.ts';
import type { PackRow, PackSummary, PackUse } from '../../../ports/store/packs.ts';
import type { PackKind } from '../../../contract/packs/packs.ts';
import * as packApps from '../../queries/pack-apps.ts';
import * as packs from '../../queries/packs.ts';
import { selectAll, selectFirst, lock, type Statement, type Transaction } from '../../statement.ts';
import { versionsWith } from './custom-nodes.ts';
import { packsLock } from '../locks.ts';

/** Number of workflows that are checked together. */
const PIECE_SIZE = 50;

type VersionNumbers = { major: number; minor: number; patch: number };

export function* createPack(
  row: PackRow,
  most: { versions: number; bytes: number },
): Transaction<'created' | 'same' | 'exists' | 'full'> {
  yield* lock(packsLock);
  const numbers = row.version.split('.').map(Number);
  const known = yield* selectFirst<{ document_hash: string }>(packs.findHash, row.name, ...numbers);
  if (known !== null) return known.document_hash === row.documentHash ? 'same' : 'exists';
  const isKnownDocument = (yield* selectFirst(packs.documentExists, row.documentHash)) !== null;
  const size = row.manifest.length + (isKnownDocument ? 0 : row.document.length);
  const used = yield* selectFirst<{ n: number; bytes: number }>(packs.used);
  if (used !== null && (used.n >= most.versions || Number(used.bytes) + size > most.bytes)) return 'full';
  yield [
    {
      sql: packs.insertDocument,
      params: [row.documentHash, row.document, row.document.length, row.documentSize],
    },
    {
      sql: packs.insert,
      params: [
        row.name,
        ...numbers,
        row.kind,
        row.title,
        row.description,
        row.operations,
        row.manifest,
        row.manifest.length,
        row.documentHash,
        row.sourceUrl,
        row.installedBy,
        row.installedAt,
      ],
    },
    { sql: packs.countChange, params: [] },
  ];
  return 'created';
}

export function* packChanges(): Transaction<number> {
  return Number((yield* selectFirst<{ n: number }>(packs.changes))?.n ?? 0);
}

export function* listPacks(): Transaction<PackSummary[]> {
  type Row = VersionNumbers & {
    name: string;
    kind: PackKind;
    title: string;
    description: string;
    operations: number;
    document_hash: string;
    size: number;
    source_url: string | null;
    installed_by: string;
    installed_at: number;
  };
  return (yield* selectAll<Row>(packs.list)).map((row) => ({
    name: row.name,
    version: `${row.major}.${row.minor}.${row.patch}`,
    kind: row.kind,
    title: row.title,
    description: row.description,
    operations: row.operations,
    documentHash: row.document_hash,
    documentSize: row.size,
    sourceUrl: row.source_url,
    installedBy: row.installed_by,
    installedAt: row.installed_at,
  }));
}

export function* packManifest(name: string, version: string): Transaction<string | null> {
  const numbers = version.split('.').map(Number);
  return (yield* selectFirst<{ manifest: string }>(packs.manifest, name, ...numbers))?.manifest ?? null;
}

export function* packDocument(name: string, version: string): Transaction<string | null> {
  const numbers = version.split('.').map(Number);
  return (yield* selectFirst<{ content: string }>(packs.document, name, ...numbers))?.content ?? null;
}

export function* packUses(
  nodeType: string,
  version: string | null,
  since: number,
  most: number,
): Transaction<PackUse[]> {
  const found: PackUse[] = [];
  let last = '';
  for (;;) {
    type Candidate = { id: string; owner_id: string; name: string };
    const rows = yield* selectAll<Candidate>(packs.listWorkflows, last, since, PIECE_SIZE);
    for (const row of rows) {
      last = row.id;
      const actions = yield* versionsWith(row.id, nodeType, version);
      const triggers = yield* versionsWith(row.id, toTriggerType(nodeType), version);
      const versions = [...new Set([...actions, ...triggers])].toSorted((a, b) => a - b);
      if (versions.length > 0)
        found.push({ workflowId: row.id, ownerId: row.owner_id, name: row.name, versions });
      if (found.length >= most) return found;
    }
    if (rows.length < PIECE_SIZE) return found;
  }
}

export function* removePack(
  { name, nodeType }: { name: string; nodeType: string },
  version: string | null,
  checkedAt: number,
): Transaction<'removed' | 'missing' | 'used'> {
  yield* lock(packsLock);
  const installed = yield* selectAll<VersionNumbers>(packs.listVersions, name);
  const doomed = installed
    .map(({ major, minor, patch }) => [major, minor, patch])
    .filter((numbers) => version === null || numbers.join('.') === version);
  if (doomed.length === 0) return 'missing';
  // Workflows that were saved while the others were checked.
  if ((yield* packUses(nodeType, version, checkedAt, 1)).length > 0) return 'used';
  yield [
    ...doomed.map((numbers): Statement => ({ sql: packs.remove, params: [name, ...numbers] })),
    { sql: packs.removeDocuments, params: [] },
    { sql: packs.countChange, params: [] },
    // Another package may get the name, and must not get the secret.
    ...(doomed.length === installed.length ? [{ sql: packApps.remove, params: [name] }] : []),
  ];
  return 'removed';
}
