import { validate } from '../../contract/validate.ts';
import { sumCalls } from '../../contract/ai/usage.ts';
import { PageQuery, toPage, toPagination, type Page } from '../../contract/paging.ts';
import { LogQuerySchema } from '../../contract/requests/execution.ts';
import type { Engine, ExecutionView } from '../../engine/engine-api.ts';
import { jsonSize } from '../../lib/json/json-size.ts';
import { limits } from '../../ports/limits.ts';
import type { ExecutionRow } from '../../ports/store/execution-row.ts';
import { overloadError } from './overload.ts';
import type {
  ExecutionDetail,
  ExecutionDetails,
  ExecutionResult,
  NodeRun,
  NodeRunList,
} from './execution-view.ts';
import { isWanted } from './log-page.ts';
import type { JsonRedactor } from '../credentials/redaction.ts';

/** Maximum number of node runs in the detail of an execution; the rest are paginated. */
const MAX_NODES = 1_000;

export type RedactedViews = ReturnType<typeof createRedactedViews>;

/**
 * Builds the views of executions that the APIs return: secrets are redacted and the response size is limited.
 */
export function createRedactedViews(deps: {
  engine: Pick<Engine, 'inspect' | 'inspectMany'>;
  /** Returns the redactor for the owner's secrets. */
  loadRedactor(ownerId: string): Promise<JsonRedactor>;
}) {
  const { engine } = deps;

  async function inspect(row: ExecutionRow): Promise<{ view: ExecutionView; redact: JsonRedactor }> {
    const [view, redact] = await Promise.all([engine.inspect(row), deps.loadRedactor(row.ownerId)]);
    return { view, redact };
  }

  return {
    async row(row: ExecutionRow): Promise<ExecutionRow> {
      return redactRow(row, await deps.loadRedactor(row.ownerId));
    },

    /** All texts belong to one owner. */
    async texts(ownerId: string, texts: readonly string[][]): Promise<string[][]> {
      const redact = await deps.loadRedactor(ownerId);
      return texts.map((list) => redact(list));
    },

    /** All rows belong to one owner. */
    async rows(rows: readonly ExecutionRow[]): Promise<ExecutionRow[]> {
      const [first] = rows;
      if (first === undefined) return [];
      const redact = await deps.loadRedactor(first.ownerId);
      return rows.map((row) => redactRow(row, redact));
    },

    async result(row: ExecutionRow): Promise<ExecutionResult> {
      const { view, redact } = await inspect(row);
      return { row: redactRow(row, redact), input: redact(view.input), output: redact(view.output) };
    },

    async detail(row: ExecutionRow): Promise<Omit<ExecutionDetail, 'retries'>> {
      const { view, redact } = await inspect(row);
      return {
        row: redactRow(row, redact),
        input: redact(view.input),
        output: redact(view.output),
        usage: sumCalls(view.usage),
        nodes: view.nodes.slice(0, countShownNodes(view)).map((node) => redact(node)),
      };
    },

    async nodes(row: ExecutionRow, input: unknown): Promise<NodeRunList> {
      const { view, redact } = await inspect(row);
      const paths = pageOfNodes(view, input).nodes.map((node) => node.path);
      if (!paths.some((path) => view.leftOut.has(path)))
        return createRedactedDetails(view, redact).nodes(input);
      return createRedactedDetails(await engine.inspect(row, new Set(paths)), redact).nodes(input);
    },

    /** All executions belong to one owner; results are in their order. */
    async details(ownerId: string, rows: readonly ExecutionRow[]): Promise<ExecutionDetails[]> {
      const [views, redact] = await Promise.all([engine.inspectMany(rows), deps.loadRedactor(ownerId)]);
      return views.map((view) => createRedactedDetails(view, redact));
    },
  };
}

function redactRow(row: ExecutionRow, redact: JsonRedactor): ExecutionRow {
  return { ...row, error: redact(row.error), trigger: redact(row.trigger) };
}

function createRedactedDetails(view: ExecutionView, redact: JsonRedactor): ExecutionDetails {
  return {
    input: () => redact(view.input),
    output: () => redact(view.output),
    usage: () => sumCalls(view.usage),
    nodes(input) {
      const { page, nodes } = pageOfNodes(view, input);
      if (countFitting(nodes) < nodes.length || nodes.some((node) => view.leftOut.has(node.path)))
        throw overloadError(`these ${nodes.length} node runs`);
      return { nodes: nodes.map((node) => redact(node)), pagination: toPagination(page, view.nodes.length) };
    },
    logs(input) {
      const query = validate(LogQuerySchema, input);
      const page = toPage(query);
      const wanted = view.logs.filter((entry) => isWanted(entry, query));
      const entries = wanted.slice(page.offset, page.offset + page.limit).map((entry) => redact(entry));
      return { entries, pagination: toPagination(page, wanted.length) };
    },
  };
}

function pageOfNodes(view: ExecutionView, input: unknown): { page: Page; nodes: readonly NodeRun[] } {
  const page = toPage(validate(PageQuery, input));
  return { page, nodes: view.nodes.slice(page.offset, page.offset + page.limit) };
}

/** Keyed by the node lists of views: views of ended executions are cached and returned repeatedly. */
const shown = new WeakMap<readonly NodeRun[], number>();

/** Returns how many of a view's node runs its detail contains. */
function countShownNodes({ nodes, leftOut }: ExecutionView): number {
  let count = shown.get(nodes);
  if (count === undefined) {
    const missing = nodes.findIndex((node) => leftOut.has(node.path));
    count = countFitting(nodes.slice(0, missing === -1 ? MAX_NODES : Math.min(missing, MAX_NODES)));
    shown.set(nodes, count);
  }
  return count;
}

/** Returns how many of the first node runs fit into one response: at least one. */
function countFitting(nodes: readonly NodeRun[]): number {
  let left: number = limits.valueReadBytes;
  let count = 0;
  for (const node of nodes) {
    left -= jsonSize(node, left);
    if (left < 0 && count > 0) break;
    count++;
  }
  return count;
}
