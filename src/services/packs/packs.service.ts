import type { TObject } from 'typebox';
import { createConflictError, createNotFoundError, type WeftError } from '../../contract/errors.ts';
import { comparePacks } from '../../contract/packs/pack-difference.ts';
import { packNodeType, type PackManifest, type PackOperation } from '../../contract/packs/packs.ts';
import { toPage, toPagination } from '../../contract/paging.ts';
import type { Principal } from '../../contract/principal.ts';
import {
  InstallPackSchema,
  PackListQuerySchema,
  PackOperationListQuerySchema,
  PackQuerySchema,
  PackUseQuerySchema,
  RemovePackQuerySchema,
} from '../../contract/requests/pack.ts';
import { validate } from '../../contract/validate.ts';
import { listApiKeyFields } from '../../nodes/openapi/fields.ts';
import type { Clock } from '../../ports/clock.ts';
import { limits } from '../../ports/limits.ts';
import type { PackStore, PackSummary, PackUse } from '../../ports/store/packs.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { isAdministrator, requireScope } from '../authorize.ts';
import type { PackCatalog } from './pack-catalog.ts';
import { compressText } from './pack-encoding.ts';
import { loadPackSource, type PackSource, type PackSourceDeps } from './pack-source.ts';
import type {
  PackDetailView,
  PackInstallationView,
  PackListView,
  PackOperationListView,
  PackOperationNamesView,
  PackOperationView,
  PackView,
  PackWorkflowsView,
} from './pack-views.ts';

/** Maximum number of workflows that a conflict error lists. */
const MAX_USES = 100;
/** Maximum difference between the clocks of two processes, ms. */
const MAX_CLOCK_SKEW_MS = 60_000;

export type PacksDeps = PackSourceDeps & {
  packs: Pick<PackStore, 'create' | 'uses' | 'remove'>;
  catalog: PackCatalog;
  clock: Pick<Clock, 'now'>;
  readonly audit: Pick<AuditLog, 'describe'>;
};

export type Packs = ReturnType<typeof createPacks>;

/** Connectors that administrators install for all users. Reading them needs the scope `nodes:read`. */
export function createPacks({ packs, catalog, audit, clock, ...sources }: PacksDeps) {
  /** The installed versions of a pack, oldest first. */
  async function listVersions(name: string): Promise<PackSummary[]> {
    return (await catalog.packs()).filter((pack) => pack.name === name);
  }

  /** @throws {WeftError} NOT_FOUND */
  async function find(
    name: string,
    version: string | undefined,
  ): Promise<{ summary: PackSummary; versions: readonly PackSummary[]; manifest: PackManifest }> {
    const versions = await listVersions(name);
    const summary =
      version === undefined ? versions.at(-1) : versions.find((pack) => pack.version === version);
    const manifest = summary === undefined ? null : await catalog.manifest(name, summary.version);
    if (summary === undefined || manifest === null)
      throw createNotFoundError(versions.length > 0 ? 'version of a pack' : 'pack');
    return { summary, versions, manifest };
  }

  /** A name belongs to the documents or to the package that it was first used for. */
  async function requireSameOrigin(newest: PackSummary | undefined, read: PackManifest): Promise<void> {
    if (newest === undefined) return;
    const installed = await catalog.manifest(newest.name, newest.version);
    if (installed === null || describeOrigin(installed) === describeOrigin(read)) return;
    throw createConflictError(
      `The name ${read.name} belongs to a pack from ${describeOrigin(installed)}: give this one another name.`,
      { field: 'name', name: read.name },
    );
  }

  /** The differences to the newest version, or all operations when there is none. */
  async function compare(newest: PackSummary | undefined, manifest: PackManifest) {
    const before = newest === undefined ? null : await catalog.manifest(newest.name, newest.version);
    return comparePacks(before ?? { ...manifest, operations: [] }, manifest);
  }

  return {
    /** Lists the newest version of each pack, by name. */
    async list(principal: Principal, input: unknown): Promise<PackListView> {
      requireScope(principal, 'nodes:read');
      const query = validate(PackListQuerySchema, input);
      const page = toPage(query);
      const wanted = query.search?.toLowerCase() ?? '';
      const found = [...Map.groupBy(await catalog.packs(), ({ name }) => name).values()].filter(
        (versions) => {
          const { name, title, description } = versions.at(-1)!;
          return `${name}\n${title}\n${description}`.toLowerCase().includes(wanted);
        },
      );
      const rows = found
        .slice(page.offset, page.offset + page.limit)
        .map((versions) => toPackView(principal, versions.at(-1)!, versions));
      return { rows, pagination: toPagination(page, found.length) };
    },

    async get(principal: Principal, name: string, input: unknown): Promise<PackDetailView> {
      requireScope(principal, 'nodes:read');
      const { version } = validate(PackQuerySchema, input);
      const { summary, versions, manifest } = await find(name, version);
      return { ...toPackView(principal, summary, versions), ...describe(manifest) };
    },

    /** Lists the operations of a version in the order of its document. */
    async operations(principal: Principal, name: string, input: unknown): Promise<PackOperationListView> {
      requireScope(principal, 'nodes:read');
      const query = validate(PackOperationListQuerySchema, input);
      const page = toPage(query);
      const { manifest } = await find(name, query.version);
      const words = (query.search ?? '').toLowerCase().split(/\s+/).filter(Boolean);
      const found = manifest.operations.filter((operation) => {
        const text = toSearchText(operation);
        return words.every((word) => text.includes(word));
      });
      return {
        rows: found.slice(page.offset, page.offset + page.limit),
        pagination: toPagination(page, found.length),
      };
    },

    /** Lists all operations of a version at once, without their forms. */
    async operationNames(
      principal: Principal,
      name: string,
      input: unknown,
    ): Promise<PackOperationNamesView> {
      requireScope(principal, 'nodes:read');
      const { version } = validate(PackQuerySchema, input);
      return (await find(name, version)).manifest;
    },

    /** Lists the workflows of all users that use any version, or one. @throws {WeftError} NOT_FOUND */
    async workflows(principal: Principal, name: string, input: unknown): Promise<PackWorkflowsView> {
      requireScope(principal, 'admin');
      const { version } = validate(PackUseQuerySchema, input);
      const { summary } = await find(name, version);
      const uses = await packs.uses(packNodeType(summary), version ?? null, MAX_USES + 1);
      return {
        workflows: listWorkflows(principal, uses.slice(0, MAX_USES)),
        isComplete: uses.length <= MAX_USES,
      };
    },

    async operation(
      principal: Principal,
      name: string,
      id: string,
      input: unknown,
    ): Promise<PackOperationView> {
      requireScope(principal, 'nodes:read');
      const { version } = validate(PackQuerySchema, input);
      const { manifest } = await find(name, version);
      const operation = manifest.operations.find((one) => one.id === id);
      if (operation === undefined) throw createNotFoundError('operation of the pack');
      const type = (await catalog.types()).get(packNodeType(manifest), manifest.version);
      const { oneOf = [] } = (type?.config ?? {}) as { oneOf?: TObject[] };
      const configSchema = oneOf[manifest.operations.findIndex((one) => one.id === id)];
      // Only a removal at the same time makes it missing.
      if (configSchema === undefined) throw createNotFoundError('pack');
      const secretFields = Object.keys(type?.secrets ?? {}).filter((field) =>
        Object.hasOwn(configSchema.properties, field.split('.')[0]!),
      );
      return { ...operation, configSchema, secretFields };
    },

    /**
     * Installs a version for all users, or shows what would be installed. The same document again changes
     * nothing. @throws {WeftError} VALIDATION_ERROR for a document that cannot be read; CONFLICT when the
     * version exists with another document, or when a limit of all packs is reached.
     */
    async install(principal: Principal, input: unknown): Promise<PackInstallationView> {
      requireScope(principal, 'admin');
      const given = validate(InstallPackSchema, input);
      const source = await loadPackSource(given, sources);
      const { manifest: read, hash: documentHash } = source;
      const { name } = read;
      const before = await listVersions(name);
      const newest = before.at(-1);
      await requireSameOrigin(newest, read);
      const same = before.findLast((pack) => pack.documentHash === documentHash);
      const version = given.version ?? same?.version ?? read.version;
      const manifest = { ...read, version };
      const fresh: PackSummary = {
        name,
        version,
        kind: manifest.kind,
        title: manifest.title,
        description: manifest.description,
        operations: manifest.operations.length,
        documentHash,
        documentSize: source.size,
        sourceUrl: source.url,
        installedBy: principal.userId,
        installedAt: clock.now(),
      };
      const known = before.find((pack) => pack.version === version);
      const isConflict = known !== undefined && known.documentHash !== documentHash;
      const suggestedVersion =
        isConflict && read.kind === 'openapi' ? computeNextVersion(newest!.version) : version;
      const shared = {
        fromVersion: newest?.version ?? null,
        changes: await compare(newest, manifest),
        suggestedVersion,
      };
      if (given.dry_run === true) {
        const outcome = isConflict ? 'conflict' : known === undefined ? 'installed' : 'unchanged';
        const pack = {
          ...toPackView(principal, fresh, before),
          installedBy: null,
          installedAt: null,
          ...describe(manifest),
        };
        return { ...shared, outcome, isDryRun: true, pack };
      }
      if (isConflict) throw exists(manifest, suggestedVersion);
      const isNew = known === undefined && (await create(principal, fresh, manifest, source)) === 'created';
      const versions = await listVersions(name);
      // Only a removal at the same time makes it missing.
      const summary = versions.find((pack) => pack.version === version) ?? fresh;
      return {
        ...shared,
        outcome: isNew ? 'installed' : 'unchanged',
        isDryRun: false,
        pack: { ...toPackView(principal, summary, versions), ...describe(manifest) },
      };
    },

    /**
     * Removes one version, or all. @throws {WeftError} NOT_FOUND; CONFLICT when any version of a workflow of
     * any user uses it.
     */
    async remove(principal: Principal, name: string, input: unknown): Promise<void> {
      requireScope(principal, 'admin');
      const { version = null } = validate(RemovePackQuerySchema, input);
      const checkedAt = clock.now() - MAX_CLOCK_SKEW_MS;
      const { summary } = await find(name, version ?? undefined);
      const nodeType = packNodeType(summary);
      const uses = await packs.uses(nodeType, version, MAX_USES);
      if (uses.length > 0) throw createInUseError(principal, name, uses);
      const event = audit.describe(principal, 'pack.deleted', { id: name, name }, { version });
      const result = await packs.remove({ name, nodeType }, version, checkedAt, event);
      if (result === 'missing') throw createNotFoundError('pack');
      if (result === 'used')
        throw createInUseError(principal, name, await packs.uses(nodeType, version, MAX_USES));
    },
  };

  async function create(
    principal: Principal,
    summary: PackSummary,
    manifest: PackManifest,
    source: PackSource,
  ): Promise<'created' | 'same'> {
    const result = await packs.create(
      {
        ...summary,
        manifest: await compressText(JSON.stringify(manifest)),
        document: await source.getContent(),
      },
      { versions: limits.packVersions, bytes: limits.packBytes },
      audit.describe(
        principal,
        'pack.installed',
        { id: summary.name, name: summary.name },
        { version: summary.version },
      ),
    );
    if (result === 'exists') throw exists(manifest, computeNextVersion(manifest.version));
    if (result === 'full')
      throw createConflictError(
        `The service can have at most ${limits.packVersions} versions of packs, with ${limits.packBytes} bytes of compressed text in total.`,
        { versions: limits.packVersions, bytes: limits.packBytes },
      );
    return result;
  }
}

function toPackView(principal: Principal, summary: PackSummary, versions: readonly PackSummary[]): PackView {
  return {
    ...summary,
    // It may contain a token.
    sourceUrl: isAdministrator(principal) ? summary.sourceUrl : null,
    versions: versions.map(({ version }) => version).toReversed(),
  };
}

function toSearchText(operation: PackOperation): string {
  const { id, title, tags } = operation;
  const path = 'path' in operation ? operation.path : '';
  return `${id}\n${title}\n${path}\n${tags.join('\n')}`.toLowerCase();
}

function describeOrigin(manifest: PackManifest): string {
  return manifest.kind === 'npm' ? `the package ${manifest.package.name}` : 'an OpenAPI document';
}

function exists({ kind, name, version }: PackManifest, suggestedVersion: string): WeftError {
  if (kind === 'npm')
    return createConflictError(`${name} ${version} is installed with another archive, and never changes.`, {
      field: 'version',
      version,
    });
  return createConflictError(
    `${name} ${version} is installed with another document, and never changes: install this one as another version, such as ${suggestedVersion}.`,
    { field: 'version', version, suggested_version: suggestedVersion },
  );
}

/** The next minor version. */
function computeNextVersion(version: string): string {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return `${major}.${minor + 1}.0`;
}

/** The parts of a manifest that the page of a pack shows. */
function describe(
  manifest: PackManifest,
): Pick<PackDetailView, 'manifest' | 'authentication' | 'package' | 'triggers'> {
  const isNpm = manifest.kind === 'npm';
  const fields = new Map(
    isNpm ? [] : listApiKeyFields(manifest).map(({ field, scheme }) => [scheme.id, `apiKeys.${field}`]),
  );
  const authentication = manifest.securitySchemes.map((scheme) => ({
    scheme,
    field: scheme.kind === 'other' ? null : (fields.get(scheme.id) ?? 'authentication'),
  }));
  return {
    manifest,
    authentication,
    package: isNpm ? manifest.package : null,
    triggers: isNpm ? manifest.triggers : [],
  };
}

/** Names of workflows are shown to their owner only. */
function listWorkflows({ userId }: Principal, uses: readonly PackUse[]): PackWorkflowsView['workflows'] {
  return uses.map(({ workflowId, ownerId, name, versions }) => ({
    id: workflowId,
    ownerId,
    name: ownerId === userId ? name : null,
    versions: versions.slice(0, 100),
  }));
}

function createInUseError(principal: Principal, pack: string, uses: readonly PackUse[]): WeftError {
  const count = uses.length === MAX_USES ? `at least ${MAX_USES}` : String(uses.length);
  return createConflictError(
    `${pack} is in use by ${count} workflow${uses.length === 1 ? '' : 's'}. Delete these workflows first; a version that is only in their history counts, too.`,
    {
      workflows: listWorkflows(principal, uses).map(({ ownerId, ...workflow }) => ({
        ...workflow,
        owner_id: ownerId,
      })),
    },
  );
}
