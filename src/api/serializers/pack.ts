import { packNodeType, packTriggerType, type PackOperation } from '../../contract/packs/packs.ts';
import { formatIsoTimeOrNull, formatIsoTime } from '../../lib/time/iso-time.ts';
import type { PackAppView } from '../../services/pack-webhooks/pack-apps.service.ts';
import type {
  PackChoicesView,
  PackDetailView,
  PackInstallationView,
  PackListView,
  PackOperationListView,
  PackOperationNamesView,
  PackOperationView,
  PackView,
  PackWorkflowsView,
} from '../../services/packs/pack-views.ts';

/** Maximum number of entries in each list of differences. */
const MAX_CHANGES = 500;

function presentPack(pack: PackView) {
  return {
    name: pack.name,
    version: pack.version,
    kind: pack.kind,
    // A package may have triggers only.
    node_type: pack.operations === 0 ? packTriggerType(pack) : packNodeType(pack),
    title: pack.title,
    description: pack.description,
    operations: pack.operations,
    document: { sha256: pack.documentHash, size: pack.documentSize, url: pack.sourceUrl },
    installed_by: pack.installedBy,
    installed_at: formatIsoTimeOrNull(pack.installedAt),
    versions: pack.versions,
  };
}

export function presentPacks({ rows, pagination }: PackListView) {
  return { packs: rows.map(presentPack), pagination };
}

export function presentPackDetail(pack: PackDetailView) {
  const { documentVersion, servers, warnings } = pack.manifest;
  return {
    ...presentPack(pack),
    document_version: documentVersion,
    servers: servers.map(({ url, description }) => ({ url, description })),
    authentication: pack.authentication.map(presentAuthentication),
    package: presentPackage(pack.package),
    triggers: pack.triggers.map(({ id, title, description, strategy = null }) => ({
      id,
      title,
      description,
      strategy,
      node_type: strategy === null ? null : packTriggerType(pack),
    })),
    warnings,
  };
}

export function presentPackApp({ pack, url, updatedAt }: PackAppView) {
  return { pack, url, updated_at: formatIsoTime(updatedAt) };
}

function presentPackage(from: PackDetailView['package']) {
  if (from === null) return null;
  const { name, integrity, signedBy, license } = from;
  return { name, integrity, signed_by: signedBy, license };
}

function presentAuthentication({ scheme, field }: PackDetailView['authentication'][number]) {
  const { id, kind, description } = scheme;
  const isKey = scheme.kind === 'api_key';
  return {
    id,
    kind,
    description,
    field,
    in: isKey ? scheme.in : null,
    name: isKey ? scheme.name : null,
    grants: (scheme.kind === 'oauth2' ? scheme.grants : []).map((one) => ({
      grant_type: one.grant,
      authorization_url: one.authorizationUrl,
      token_url: one.tokenUrl,
      scopes: Object.entries(one.scopes).map(([name, text]) => ({ name, description: text })),
      authorization_params: one.authorizationParams ?? {},
      pkce: one.pkce ?? null,
    })),
    fields: (scheme.kind === 'fields' ? scheme.fields : []).map((one) => ({
      name: one.name,
      title: one.title,
      description: one.description,
      required: one.required && one.default === null,
      secret: one.kind === 'secret',
    })),
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

function presentBriefOperation(operation: PackOperation) {
  const { id, title, tags, deprecated } = operation;
  const [method, path] = 'method' in operation ? [operation.method, operation.path] : [null, null];
  return { id, title, method, path, tags, deprecated };
}

function presentPackOperation(operation: PackOperation) {
  return {
    ...presentBriefOperation(operation),
    description: operation.description,
    idempotent: 'idempotent' in operation ? operation.idempotent : null,
  };
}

export function presentPackOperationNames({ name, version, operations }: PackOperationNamesView) {
  return { name, version, operations: operations.map(presentBriefOperation) };
}

export function presentPackWorkflows({ workflows, isComplete }: PackWorkflowsView) {
  return {
    workflows: workflows.map(({ id, ownerId, name, versions }) => ({
      id,
      owner_id: ownerId,
      name,
      versions,
    })),
    complete: isComplete,
  };
}

export function presentPackOperations({ rows, pagination }: PackOperationListView) {
  return { operations: rows.map(presentPackOperation), pagination };
}

export function presentPackOperationDetail(operation: PackOperationView) {
  return {
    ...presentPackOperation(operation),
    config_schema: operation.configSchema,
    secret_fields: operation.secretFields,
    security: operation.security.map((together) =>
      Object.entries(together).map(([id, scopes]) => ({ id, scopes })),
    ),
    response_type: operation.response?.contentType ?? null,
    response_schema: operation.response?.schema ?? null,
  };
}

export function presentPackChoices({ choices, loadedAt }: PackChoicesView) {
  const isOptions = choices.kind === 'options';
  return {
    options: isOptions ? choices.options.map(({ label, value }) => ({ label, value })) : null,
    disabled: isOptions && choices.isDisabled,
    placeholder: isOptions ? choices.placeholder : null,
    config_schema: isOptions ? null : choices.configSchema,
    loaded_at: formatIsoTime(loadedAt),
  };
}
