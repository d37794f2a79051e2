import { packNodeType, type PackOperation } from '../../contract/packs/packs.ts';
import { isoOrNull } from '../../lib/time/iso-time.ts';
import type {
  PackDetailView,
  PackInstallationView,
  PackListView,
  PackOperationListView,
  PackOperationView,
  PackView,
} from '../../services/packs/pack-views.ts';

/** Maximum number of entries in each list of differences. */
const MAX_CHANGES = 500;

function presentPack(pack: PackView) {
  return {
    name: pack.name,
    version: pack.version,
    kind: pack.kind,
    node_type: packNodeType(pack),
    title: pack.title,
    description: pack.description,
    operations: pack.operations,
    document: { sha256: pack.documentHash, size: pack.documentSize, url: pack.sourceUrl },
    installed_by: pack.installedBy,
    installed_at: isoOrNull(pack.installedAt),
    versions: pack.versions,
  };
}

export function presentPacks({ rows, pagination }: PackListView) {
  return { packs: rows.map(presentPack), pagination };
}

export function presentPackDetail(pack: PackDetailView) {
  const { documentVersion, servers, securitySchemes, warnings } = pack.manifest;
  return {
    ...presentPack(pack),
    document_version: documentVersion,
    servers: servers.map(({ url, description }) => ({ url, description })),
    authentication: securitySchemes.map(({ id, kind, description }) => ({ id, kind, description })),
    warnings,
  };
}

export function presentPackInstallation({
  outcome,
  isDryRun,
  pack,
  fromVersion,
  changes: { added, removed, changed },
  suggestedVersion,
}: PackInstallationView) {
  return {
    outcome,
    dry_run: isDryRun,
    pack: presentPackDetail(pack),
    changes: {
      from_version: fromVersion,
      added_count: added.length,
      removed_count: removed.length,
      changed_count: changed.length,
      added: added.slice(0, MAX_CHANGES),
      removed: removed.slice(0, MAX_CHANGES),
      changed: changed.slice(0, MAX_CHANGES),
    },
    suggested_version: suggestedVersion,
  };
}

function presentPackOperation({ id, title, description, method, path, tags, deprecated }: PackOperation) {
  return { id, title, description, method, path, tags, deprecated };
}

export function presentPackOperations({ rows, pagination }: PackOperationListView) {
  return { operations: rows.map(presentPackOperation), pagination };
}

export function presentPackOperationDetail(operation: PackOperationView) {
  return {
    ...presentPackOperation(operation),
    config_schema: operation.configSchema,
    secret_fields: operation.secretFields,
    response_type: operation.response?.contentType ?? null,
    response_schema: operation.response?.schema ?? null,
  };
}
