import type { Definition, Issue } from '../../contract/definition.ts';
import { createNotFoundError } from '../../contract/errors.ts';
import { measureJsonSize } from '../../lib/json/json-size.ts';
import { limits } from '../../ports/limits.ts';
import type { NodeTypes } from '../../ports/node-types.ts';
import type { ScheduleRow } from '../../ports/store/active-triggers.ts';
import type {
  VersionKey,
  WorkflowRow,
  WorkflowStore,
  WorkflowVersionRow,
} from '../../ports/store/workflows.ts';
import { createOverloadError } from '../executions/overload.ts';
import type { DefinitionErrors, DefinitionValidator } from './validate-definition.ts';
import type { WorkflowActivity } from './workflow-activity.ts';
import type { FormLinks } from '../forms/form-links.ts';
import { isPackTriggerType } from '../../contract/packs/packs.ts';
import { isPackWebhook } from '../triggers/pack-poll.ts';
import { listTriggerViews, type TriggerView } from '../triggers/active-triggers.ts';

/** A workflow with what its definition contains. */
export type WorkflowContent = {
  row: WorkflowRow;
  definition: Definition;
  issues: Issue[];
  triggers: TriggerView[];
};
/** A workflow as the APIs return it. */
export type WorkflowView = WorkflowContent & { activity: WorkflowActivity };

/** Number of definitions per read: each may be as large as a request. */
const DEFINITION_BATCH_SIZE = 20;

export type WorkflowReads = ReturnType<typeof createWorkflowReads>;

/** Reads workflows with their definitions and builds the views that the APIs return. */
export function createWorkflowReads(deps: {
  workflows: Pick<WorkflowStore, 'get' | 'version' | 'getManyVersions' | 'schedules' | 'schedulesOfMany'>;
  nodeTypes: NodeTypes;
  validator: DefinitionValidator;
  baseUrl(): string;
  formLinks: FormLinks;
}) {
  const { workflows, validator } = deps;

  function assemble(
    row: WorkflowRow,
    definition: Definition,
    found: DefinitionErrors,
    rows: readonly ScheduleRow[],
    live: Definition,
  ): WorkflowContent {
    return {
      row,
      definition,
      issues: [...found.form.map((error) => ({ node_id: null, ...error })), ...found.issues],
      triggers: listTriggerViews(
        row.id,
        live,
        deps.nodeTypes,
        row.activeVersion === null ? rows.filter(isPackWebhook) : rows,
        deps.baseUrl(),
        deps.formLinks,
      ),
    };
  }

  /**
   * Returns definitions by `id@version`. @throws {WeftError} PAYLOAD_TOO_LARGE when they exceed the limit of
   * one response.
   */
  async function readDefinitions(
    ownerId: string,
    wanted: readonly VersionKey[],
  ): Promise<Map<string, Definition>> {
    const definitions = new Map<string, Definition>();
    let left: number = limits.valueReadBytes;
    for (let at = 0; at < wanted.length; at += DEFINITION_BATCH_SIZE) {
      const piece = wanted.slice(at, at + DEFINITION_BATCH_SIZE);
      for (const stored of await workflows.getManyVersions(ownerId, piece)) {
        definitions.set(formatVersionKey(stored), stored.definition);
        left -= measureJsonSize(stored.definition, left);
        if (left < 0 && definitions.size > 1) throw createOverloadError(`these ${wanted.length} definitions`);
      }
    }
    return definitions;
  }

  return {
    /** Loads the newest version. @throws {WeftError} NOT_FOUND. */
    async load(ownerId: string, id: string): Promise<{ row: WorkflowRow; definition: Definition }> {
      // Between the two reads, a change cannot remove a version, but a deletion can.
      const row = await workflows.get(ownerId, id);
      const stored = row === null ? null : await workflows.version(ownerId, id, row.version);
      if (row === null || stored === null) throw createNotFoundError('workflow');
      return { row, definition: stored.definition };
    },

    /** `version` is the path parameter. @throws {WeftError} NOT_FOUND. */
    async loadVersion(ownerId: string, id: string, version: string): Promise<WorkflowVersionRow> {
      // A test has a negative number.
      const number = /^-?[1-9]\d{0,14}$/.test(version) ? Number(version) : null;
      const stored = number === null ? null : await workflows.version(ownerId, id, number);
      if (stored === null) throw createNotFoundError('version of a workflow');
      return stored;
    },

    /**
     * Returns the newest definitions, in the order of `rows`; null for a workflow that was deleted meanwhile.
     */
    async definitions(ownerId: string, rows: readonly WorkflowRow[]): Promise<(Definition | null)[]> {
      const found = await readDefinitions(ownerId, rows.map(toNewestKey));
      return rows.map((row) => found.get(formatVersionKey(toNewestKey(row))) ?? null);
    },

    async view(row: WorkflowRow, definition: Definition): Promise<WorkflowContent> {
      const behind = liveBehind(row);
      const [found, rows, live] = await Promise.all([
        validator.findStored(row.ownerId, row.id, row.version, definition),
        row.activeVersion === null && !hasPackTrigger(definition)
          ? []
          : workflows.schedules(row.ownerId, row.id),
        behind === null ? null : workflows.version(row.ownerId, row.id, behind),
      ]);
      return assemble(row, definition, found, rows, live?.definition ?? definition);
    },

    /**
     * Builds many views in few statements, in the order of `rows`; null for a workflow that was deleted
     * meanwhile.
     */
    async views(ownerId: string, rows: readonly WorkflowRow[]): Promise<(WorkflowContent | null)[]> {
      const wanted = rows.flatMap((row) => {
        const behind = liveBehind(row);
        return behind === null
          ? [toNewestKey(row)]
          : [toNewestKey(row), { workflowId: row.id, version: behind }];
      });
      const active = rows.filter((row) => row.activeVersion !== null).map((row) => row.id);
      const [definitions, schedules] = await Promise.all([
        readDefinitions(ownerId, wanted),
        active.length === 0 ? [] : workflows.schedulesOfMany(ownerId, active),
      ]);
      const stored = rows.flatMap((row) => {
        const definition = definitions.get(formatVersionKey(toNewestKey(row)));
        return definition === undefined ? [] : [{ ...toNewestKey(row), definition }];
      });
      const inactive = rows
        .filter((row) => row.activeVersion === null)
        .filter((row) => {
          const definition = definitions.get(formatVersionKey(toNewestKey(row)));
          return definition !== undefined && hasPackTrigger(definition);
        });
      const paused =
        inactive.length === 0
          ? []
          : await workflows.schedulesOfMany(
              ownerId,
              inactive.map(({ id }) => id),
            );
      const found = await validator.findManyStored(ownerId, stored);
      const errorsById = new Map(stored.map((each, i) => [each.workflowId, found[i]]));
      return rows.map((row) => {
        const definition = definitions.get(formatVersionKey(toNewestKey(row)));
        const known = errorsById.get(row.id);
        if (definition === undefined || known === undefined) return null;
        const own = [...schedules, ...paused].filter((each) => each.workflowId === row.id);
        const shown = { workflowId: row.id, version: liveBehind(row) ?? row.version };
        return assemble(row, definition, known, own, definitions.get(formatVersionKey(shown)) ?? definition);
      });
    },
  };
}

/** An inactive one shows why its registration could not be removed. */
function hasPackTrigger({ nodes }: Definition): boolean {
  return nodes.some(({ type }) => isPackTriggerType(type));
}

function toNewestKey({ id, version }: WorkflowRow): VersionKey {
  return { workflowId: id, version };
}

function formatVersionKey({ workflowId, version }: VersionKey): string {
  return `${workflowId}@${version}`;
}

/** The active version, whose triggers are shown while a newer version is unpublished. */
function liveBehind({ version, activeVersion }: WorkflowRow): number | null {
  return activeVersion === version ? null : activeVersion;
}
