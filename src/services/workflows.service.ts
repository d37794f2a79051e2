import type { Definition, Issue, WorkflowStatus } from '../contract/definition.ts';
import { check } from '../contract/check.ts';
import { conflict, notFound, validationError, WeftError } from '../contract/errors.ts';
import { PageQuery, pageOf, paginationOf, type Pagination } from '../contract/paging.ts';
import type { Principal } from '../contract/principal.ts';
import {
  CreateWorkflowSchema,
  readOnlyWorkflowFields,
  UpdateWorkflowSchema,
  WorkflowQuerySchema,
} from '../contract/schemas-workflow.ts';
import type { Engine } from '../engine/engine-port.ts';
import { jsonEquals } from '../lib/json-equal.ts';
import { jsonSize } from '../lib/json-size.ts';
import { isObject, type Json } from '../lib/json.ts';
import type { Clock } from '../ports/clock.ts';
import { limits } from '../ports/limits.ts';
import type { Ids } from '../ports/ids.ts';
import type { NodeTypes, OwnNodeTypes } from '../ports/node-types.ts';
import type { LiveTriggers, ScheduleRow } from '../ports/store/live-triggers.ts';
import type { VersionKey, WorkflowRow, WorkflowStore } from '../ports/store/workflows.ts';
import type { ExecutionStore } from '../ports/store/executions.ts';
import type { DefinitionFaults, FaultFinder } from './definition-faults.ts';
import { tooMuch } from './capacity.ts';
import { requireScope } from './require.ts';
import { liveTriggers, settingRoutes, triggerViews, type TriggerView } from './triggers.ts';
import { checkedSettings, checkTransition, completeDefinition, issueFaults } from './workflow-rules.ts';

export type WorkflowView = {
  row: WorkflowRow;
  definition: Definition;
  issues: Issue[];
  triggers: TriggerView[];
};
export type WorkflowList = { rows: WorkflowRow[]; pagination: Pagination };
export type WorkflowVersions = {
  rows: { version: number; createdAt: number; nodeCount: number }[];
  pagination: Pagination;
};
export type WorkflowVersion = {
  workflowId: string;
  version: number;
  createdAt: number;
  definition: Definition;
};

/** What a change asks for; null leaves a field as it is. `publish` null: as the status says. */
type Change = {
  name: string | null;
  description: string | null;
  definition: Definition | null;
  status: WorkflowStatus | null;
  settings: WorkflowRow['settings'] | null;
  tags: string[] | null;
  version: number | null;
  publish: boolean | null;
  /** It makes a version even of what is there already. */
  isRestore?: boolean;
};

const unchanged: Change = {
  name: null,
  description: null,
  definition: null,
  status: null,
  settings: null,
  tags: null,
  version: null,
  publish: null,
};

/** Tries of a change that raced with another one and named no version of its own. */
const CHANGE_TRIES = 5;
/** Executions stopped at once before a workflow is deleted. */
const STOP_BATCH = 100;
const RELEASE_PAGE = 100;

export type WorkflowsDeps = {
  workflows: WorkflowStore;
  executions: Pick<ExecutionStore, 'unsettled'>;
  engine: Pick<Engine, 'stop'>;
  /** The built-in types: every trigger is one. */
  nodeTypes: NodeTypes;
  ownTypes: OwnNodeTypes;
  faults: FaultFinder;
  clock: Pick<Clock, 'now'>;
  ids: Ids;
  /** The address that callers see, ending with /v1. */
  baseUrl(): string;
  timezone: string;
  /** Whether there is still such a user. */
  isUser(id: string): Promise<boolean>;
  /** Told after every change of what is live; null when the workflow is gone. */
  changed(workflowId: string, live: LiveTriggers | null): void;
};

export type Workflows = ReturnType<typeof createWorkflows>;

/** Definitions that are read in one go: each may be as large as a request. */
const DEFINITIONS_AT_ONCE = 20;

/** Workflows of their owner: definitions, versions, status. Another owner's workflow is NOT_FOUND like a missing one. */
export function createWorkflows(deps: WorkflowsDeps) {
  const { workflows, nodeTypes, faults, clock } = deps;

  /** The live version whose triggers are shown while a newer one waits to be published. */
  function liveBehind({ version, activeVersion }: WorkflowRow): number | null {
    return activeVersion === version ? null : activeVersion;
  }

  async function view(row: WorkflowRow, definition: Definition): Promise<WorkflowView> {
    const behind = liveBehind(row);
    const [found, rows, live] = await Promise.all([
      faults.findStored(row.ownerId, row.id, row.version, definition),
      row.activeVersion === null ? [] : workflows.schedules(row.ownerId, row.id),
      behind === null ? null : workflows.version(row.ownerId, row.id, behind),
    ]);
    return assemble(row, definition, found, rows, live?.definition ?? definition);
  }

  function assemble(
    row: WorkflowRow,
    definition: Definition,
    found: DefinitionFaults,
    rows: readonly ScheduleRow[],
    live: Definition,
  ): WorkflowView {
    return {
      row,
      definition,
      issues: [...found.form.map((fault) => ({ node_id: null, ...fault })), ...found.issues],
      triggers: triggerViews(live, nodeTypes, rows, deps.baseUrl()),
    };
  }

  /** Definitions by `id@version`. @throws {WeftError} PAYLOAD_TOO_LARGE when they are too much for one answer. */
  async function definitionsOf(
    ownerId: string,
    wanted: readonly VersionKey[],
  ): Promise<Map<string, Definition>> {
    const definitions = new Map<string, Definition>();
    let left: number = limits.manyValues;
    for (let at = 0; at < wanted.length; at += DEFINITIONS_AT_ONCE) {
      const piece = wanted.slice(at, at + DEFINITIONS_AT_ONCE);
      for (const { workflowId, version, definition } of await workflows.manyVersions(ownerId, piece)) {
        definitions.set(`${workflowId}@${version}`, definition);
        left -= jsonSize(definition, left);
        if (left < 0 && definitions.size > 1) throw tooMuch(`these ${wanted.length} definitions`);
      }
    }
    return definitions;
  }

  async function load(ownerId: string, id: string): Promise<{ row: WorkflowRow; definition: Definition }> {
    // A change between the two reads cannot take a version away; a deletion can.
    const row = await workflows.get(ownerId, id);
    const stored = row === null ? null : await workflows.version(ownerId, id, row.version);
    if (row === null || stored === null) throw notFound('workflow');
    return { row, definition: stored.definition };
  }

  /** @throws {WeftError} VALIDATION_ERROR for faults of form, and for faults of content where these are not allowed. */
  async function refuseFaults(ownerId: string, definition: Definition, contentToo: boolean): Promise<void> {
    const found = await faults.find(ownerId, definition);
    if (found.form.length > 0) throw validationError(found.form);
    if (contentToo && found.issues.length > 0) throw validationError(issueFaults(found.issues, definition));
  }

  /** Writes one version of the row. @throws {WeftError} CONFLICT; `stale` when another change came first. */
  async function save(
    row: Omit<WorkflowRow, 'nodeCount' | 'executionCount'>,
    definition: Definition,
    liveDefinition: Definition | null,
    expected: number | null,
  ): Promise<'saved' | 'stale'> {
    const live: LiveTriggers =
      liveDefinition === null || row.activeVersion === null
        ? { webhooks: [], schedules: [], events: [], polls: [] }
        : liveTriggers(row, liveDefinition, row.activeVersion, nodeTypes, {
            now: clock.now(),
            timezone: deps.timezone,
            previous: expected === null ? [] : await workflows.schedules(row.ownerId, row.id),
          });
    live.events.push(...settingRoutes(row, row.settings));
    const result = await workflows.save({ row, definition, expected, live });
    // A user who was deleted while he was served must leave nothing that runs on.
    if (result.kind === 'saved' && !(await deps.isUser(row.ownerId))) {
      await workflows.remove(row.ownerId, row.id);
      deps.changed(row.id, null);
      throw new WeftError('UNAUTHORIZED');
    }
    if (result.kind === 'missing') throw notFound('workflow');
    if (result.kind === 'taken') {
      throw conflict(`Another active workflow already answers ${result.method} ${result.endpoint}.`, {
        field: 'definition',
        method: result.method,
        endpoint: result.endpoint,
      });
    }
    if (result.kind === 'saved') deps.changed(row.id, live);
    return result.kind;
  }

  async function change(ownerId: string, id: string, wanted: Change): Promise<WorkflowView> {
    for (let attempt = 1; ; attempt++) {
      const { row, definition: before } = await load(ownerId, id);
      if (wanted.version !== null && wanted.version !== row.version)
        throw staleVersion(wanted.version, row.version);
      const status = wanted.status ?? row.status;
      checkTransition(row.status, status);
      const definition = wanted.definition ?? before;
      const version = row.version + 1;
      const goesLive =
        status === 'active' &&
        (wanted.publish ??
          (row.status !== 'active' || wanted.definition !== null || row.activeVersion === row.version));
      if (
        wanted.definition !== null ||
        (goesLive && row.activeVersion !== row.version) ||
        status !== row.status
      ) {
        // A draft may hold faults of content, and so may a version of an active workflow that is not to be live yet.
        const mayHoldFaults = status === 'draft' || (status === 'active' && !goesLive);
        const isTouched = wanted.definition !== null || goesLive;
        if (isTouched) await refuseFaults(ownerId, definition, !mayHoldFaults);
      }
      const isPublished = !goesLive || row.activeVersion === row.version;
      const isSame = status === row.status && isPublished && saysNothingNew(row, before, wanted);
      if (isSame && wanted.isRestore !== true) return view(row, before);
      const activeVersion = status !== 'active' ? null : goesLive ? version : row.activeVersion;
      if (status === 'active' && activeVersion === null) {
        throw validationError([
          { field: 'publish', issue: 'cannot be false while the workflow is being activated' },
        ]);
      }
      let live: Definition | null = null;
      if (activeVersion !== null) {
        live = goesLive
          ? definition
          : ((await workflows.version(ownerId, id, activeVersion))?.definition ?? null);
      }
      const next = {
        id,
        ownerId,
        name: wanted.name ?? row.name,
        description: wanted.description ?? row.description,
        status,
        version,
        activeVersion,
        settings: wanted.settings ?? row.settings,
        tags: wanted.tags ?? row.tags,
        createdAt: row.createdAt,
        updatedAt: clock.now(),
      };
      if ((await save(next, definition, live, row.version)) === 'saved') {
        return view({ ...row, ...next, nodeCount: definition.nodes.length }, definition);
      }
      if (wanted.version !== null || attempt >= CHANGE_TRIES)
        throw staleVersion(wanted.version ?? row.version, null);
    }
  }

  async function stopAll(ownerId: string, id: string): Promise<void> {
    for (;;) {
      const running = await deps.executions.unsettled(ownerId, id, STOP_BATCH);
      if (running.length === 0) return;
      await Promise.all(running.map((execution) => deps.engine.stop(ownerId, execution)));
    }
  }

  return {
    /** The new workflow. Needs a name; everything else has a default. */
    async create(principal: Principal, input: unknown): Promise<WorkflowView> {
      requireScope(principal, 'workflows:write');
      const given = check(CreateWorkflowSchema, input);
      const settings = await checkedSettings(
        given.settings ?? {},
        async (other) => (await workflows.get(principal.userId, other)) !== null,
      );
      const definition = completeDefinition(given.definition, await deps.ownTypes.of(principal.userId));
      const status = given.status ?? 'draft';
      await refuseFaults(principal.userId, definition, status !== 'draft');
      const now = clock.now();
      const row = {
        id: deps.ids.next('workflow'),
        ownerId: principal.userId,
        name: given.name,
        description: given.description ?? '',
        status,
        version: 1,
        activeVersion: status === 'active' ? 1 : null,
        settings,
        tags: given.tags ?? [],
        createdAt: now,
        updatedAt: now,
      };
      await save(row, definition, status === 'active' ? definition : null, null);
      return view({ ...row, nodeCount: definition.nodes.length, executionCount: 0 }, definition);
    },

    async list(principal: Principal, input: unknown): Promise<WorkflowList> {
      requireScope(principal, 'workflows:read');
      const query = check(WorkflowQuerySchema, input);
      const page = pageOf(query);
      const filter = {
        ...(query.status === undefined ? {} : { status: query.status as WorkflowStatus }),
        ...(query.search === undefined || query.search === '' ? {} : { search: query.search }),
        ...(query.tag === undefined ? {} : { tag: query.tag }),
      };
      const { rows, total } = await workflows.list(principal.userId, filter, page.offset, page.limit);
      return { rows, pagination: paginationOf(page, total) };
    },

    /** Those of these that are there, in no order; in few statements. */
    async rows(principal: Principal, ids: readonly string[]): Promise<WorkflowRow[]> {
      requireScope(principal, 'workflows:read');
      return workflows.many(principal.userId, ids);
    },

    /** The newest definitions of these workflows of the caller, in their order and in few statements; null: gone meanwhile. */
    async definitions(principal: Principal, rows: readonly WorkflowRow[]): Promise<(Definition | null)[]> {
      requireScope(principal, 'workflows:read');
      const found = await definitionsOf(
        principal.userId,
        rows.map((row) => ({ workflowId: row.id, version: row.version })),
      );
      return rows.map((row) => found.get(`${row.id}@${row.version}`) ?? null);
    },

    /** The same with issues and triggers. */
    async views(principal: Principal, rows: readonly WorkflowRow[]): Promise<(WorkflowView | null)[]> {
      requireScope(principal, 'workflows:read');
      const { userId } = principal;
      const wanted = rows.flatMap((row) => {
        const behind = liveBehind(row);
        const newest = { workflowId: row.id, version: row.version };
        return behind === null ? [newest] : [newest, { workflowId: row.id, version: behind }];
      });
      const active = rows.filter((row) => row.activeVersion !== null).map((row) => row.id);
      const [definitions, schedules] = await Promise.all([
        definitionsOf(userId, wanted),
        active.length === 0 ? [] : workflows.schedulesOfMany(userId, active),
      ]);
      const stored = rows.flatMap((row) => {
        const definition = definitions.get(`${row.id}@${row.version}`);
        return definition === undefined ? [] : [{ workflowId: row.id, version: row.version, definition }];
      });
      const found = await faults.findManyStored(userId, stored);
      const faultsOf = new Map(stored.map((each, i) => [each.workflowId, found[i]]));
      return rows.map((row) => {
        const definition = definitions.get(`${row.id}@${row.version}`);
        const known = faultsOf.get(row.id);
        if (definition === undefined || known === undefined) return null;
        const own = schedules.filter((each) => each.workflowId === row.id);
        const live = definitions.get(`${row.id}@${liveBehind(row) ?? row.version}`) ?? definition;
        return assemble(row, definition, known, own, live);
      });
    },

    async get(principal: Principal, id: string): Promise<WorkflowView> {
      requireScope(principal, 'workflows:read');
      const { row, definition } = await load(principal.userId, id);
      return view(row, definition);
    },

    /** Replaces the fields that are given. `version`, when given, must be the current one. */
    async update(principal: Principal, id: string, input: unknown): Promise<WorkflowView> {
      requireScope(principal, 'workflows:write');
      const given = check(UpdateWorkflowSchema, withoutReadOnly(input));
      const settings = await checkedSettings(
        given.settings ?? {},
        async (other) => (await workflows.get(principal.userId, other)) !== null,
      );
      return change(principal.userId, id, {
        name: given.name ?? null,
        description: given.description ?? null,
        definition:
          given.definition === undefined
            ? null
            : completeDefinition(given.definition, await deps.ownTypes.of(principal.userId)),
        status: (given.status ?? null) as WorkflowStatus | null,
        settings: given.settings === undefined ? null : settings,
        tags: given.tags ?? null,
        version: given.version ?? null,
        publish: given.publish ?? null,
      });
    },

    /** Makes the newest version the one that triggers run. @throws {WeftError} CONFLICT unless active. */
    async publish(principal: Principal, id: string): Promise<WorkflowView> {
      requireScope(principal, 'workflows:write');
      const { row, definition } = await load(principal.userId, id);
      if (row.status !== 'active') {
        throw conflict(`Only an active workflow can be published; this one is ${row.status}.`, {
          status: row.status,
        });
      }
      if (row.activeVersion === row.version) return view(row, definition);
      return change(principal.userId, id, { ...unchanged, publish: true });
    },

    /** Stops what runs of it, then deletes it with its whole history. */
    async remove(principal: Principal, id: string): Promise<void> {
      requireScope(principal, 'workflows:write');
      const { userId } = principal;
      if ((await workflows.get(userId, id)) === null) throw notFound('workflow');
      await stopAll(userId, id);
      if (!(await workflows.remove(userId, id))) throw notFound('workflow');
      deps.changed(id, null);
    },

    /** Before an owner is deleted: nothing of theirs runs or listens any more. */
    async release(ownerId: string): Promise<void> {
      for (let offset = 0; ; offset += RELEASE_PAGE) {
        const { rows } = await workflows.list(ownerId, {}, offset, RELEASE_PAGE);
        for (const row of rows) {
          deps.changed(row.id, null);
          await stopAll(ownerId, row.id);
        }
        if (rows.length < RELEASE_PAGE) return;
      }
    },

    async versions(principal: Principal, id: string, input: unknown): Promise<WorkflowVersions> {
      requireScope(principal, 'workflows:read');
      const page = pageOf(check(PageQuery, input));
      const found = await workflows.versions(principal.userId, id, page.offset, page.limit);
      if (found === null) throw notFound('workflow');
      return { rows: found.rows, pagination: paginationOf(page, found.total) };
    },

    async version(principal: Principal, id: string, version: string): Promise<WorkflowVersion> {
      requireScope(principal, 'workflows:read');
      return loadVersion(principal.userId, id, version);
    },

    /** Saves an old version's definition as the newest one. */
    async restore(principal: Principal, id: string, version: string): Promise<WorkflowView> {
      requireScope(principal, 'workflows:write');
      const { definition } = await loadVersion(principal.userId, id, version);
      return change(principal.userId, id, { ...unchanged, definition, isRestore: true });
    },
  };

  async function loadVersion(ownerId: string, id: string, text: string): Promise<WorkflowVersion> {
    const number = /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null;
    const stored = number === null ? null : await workflows.version(ownerId, id, number);
    if (stored === null) throw notFound('version of a workflow');
    return stored;
  }
}

function staleVersion(given: number, current: number | null): WeftError {
  const now = current === null ? 'it has just been changed' : `the current one is ${current}`;
  return conflict(
    `Version ${given} is not the workflow's current version: ${now}. Get it again and repeat the change.`,
    {
      field: 'version',
      ...(current === null ? {} : { current_version: current }),
    },
  );
}

function withoutReadOnly(input: unknown): unknown {
  if (!isObject(input)) return input;
  const readOnly = new Set<string>(readOnlyWorkflowFields);
  return Object.fromEntries(Object.entries(input).filter(([name]) => !readOnly.has(name)));
}

/** Whether every field that is given is what it was: then there is no change, and no new version. */
function saysNothingNew(row: WorkflowRow, definition: Definition, wanted: Change): boolean {
  const pairs: [unknown, unknown][] = [
    [wanted.name, row.name],
    [wanted.description, row.description],
    [wanted.definition, definition],
    [wanted.settings, row.settings],
    [wanted.tags, row.tags],
  ];
  return pairs.every(([next, now]) => next === null || jsonEquals(next as Json, now as Json));
}
