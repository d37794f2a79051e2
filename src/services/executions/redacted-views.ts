import { validate } from '../../contract/validate.ts';
import { sumCalls } from '../../contract/ai/usage.ts';
import { PageQuery, toPage, toPagination, type Page } from '../../contract/paging.ts';
import { LogQuerySchema } from '../../contract/requests/execution.ts';
import type { Engine, ExecutionPage, ExecutionView, ListRange } from '../../engine/engine-api.ts';
import { measureJsonSize } from '../../lib/json/json-size.ts';
import { limits } from '../../ports/limits.ts';
import type { ExecutionRow } from '../../ports/store/execution-row.ts';
import { createOverloadError } from './overload.ts';
import type {
  ExecutionDetail,
  ExecutionDetails,
  ExecutionResult,
  LogList,
  NodeRun,
  NodeRunList,
} from './execution-view.ts';
import { isWanted } from './log-page.ts';
import type { JsonRedactor } from '../credentials/redaction.ts';

/** Maximum number of node runs in the detail of an execution; the rest are paginated. */
const MAX_NODES = 1_000;
const NO_NODES: ListRange = { offset: 0, limit: 0 };

export type RedactedViews = ReturnType<typeof createRedactedViews>;

/**
 * Builds the views of executions that the APIs return: secrets are redacted and the response size is limited.
 */
export function createRedactedViews(deps: {
  engine: Pick<Engine, 'inspectMany' | 'page' | 'isLong'>;
  /** Returns the redactor for the owner's secrets. */
  loadRedactor(ownerId: string): Promise<JsonRedactor>;
  /** Reads a page of the log of an execution. */
  readLogs(row: ExecutionRow, input: unknown): Promise<LogList>;
}) {
  const { engine } = deps;

  async function read(
    row: ExecutionRow,
    range: ListRange,
  ): Promise<{ page: ExecutionPage; redact: JsonRedactor }> {
    const [page, redact] = await Promise.all([engine.page(row, range), deps.loadRedactor(row.ownerId)]);
    return { page, redact };
  }

  async function readNodes(row: ExecutionRow, input: unknown): Promise<NodeRunList> {
    const wanted = toPage(validate(PageQuery, input));
    const { page, redact } = await read(row, wanted);
    const paths = page.nodes.map((node) => node.path);
    const isWhole = !paths.some((path) => page.leftOut.has(path));
    const { nodes, leftOut, total } = isWhole ? page : await engine.page(row, wanted, new Set(paths));
    return presentNodes(nodes, leftOut, wanted, total, redact);
  }

  /** Reads each part when it is requested. */
  function createLongDetails(row: ExecutionRow, redact: JsonRedactor): ExecutionDetails {
    const whole = once(() => engine.page(row, NO_NODES));
    return {
      input: async () => redact((await whole()).input),
      output: async () => redact((await whole()).output),
      usage: async () => sumCalls((await whole()).usage),
      nodes: (input) => readNodes(row, input),
      logs: (input) => deps.readLogs(row, input),
    };
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
      const { page, redact } = await read(row, NO_NODES);
      return { row: redactRow(row, redact), input: redact(page.input), output: redact(page.output) };
    },

    async detail(row: ExecutionRow): Promise<Omit<ExecutionDetail, 'retries'>> {
      const { page, redact } = await read(row, { offset: 0, limit: MAX_NODES });
      return {
        row: redactRow(row, redact),
        input: redact(page.input),
        output: redact(page.output),
        usage: sumCalls(page.usage),
        nodes: page.nodes.slice(0, countShownNodes(page)).map((node) => redact(node)),
        nodesTotal: page.total,
      };
    },

    nodes: readNodes,

    /** All executions belong to one owner; results are in their order. */
    async details(ownerId: string, rows: readonly ExecutionRow[]): Promise<ExecutionDetails[]> {
      const [first, second] = rows;
      if (first !== undefined && second === undefined && (await engine.isLong(first)))
        return [createLongDetails(first, await deps.loadRedactor(ownerId))];
      const [views, redact] = await Promise.all([engine.inspectMany(rows), deps.loadRedactor(ownerId)]);
      return views.map((view) => createRedactedDetails(view, redact));
    },
  };
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | null = null;
  return () => (result ??= read());
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
      const page = toPage(validate(PageQuery, input));
      const nodes = view.nodes.slice(page.offset, page.offset + page.limit);
      return presentNodes(nodes, view.leftOut, page, view.nodes.length, redact);
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

/** @throws {WeftError} PAYLOAD_TOO_LARGE when the node runs do not fit into one response. */
function presentNodes(
  nodes: readonly NodeRun[],
  leftOut: ReadonlySet<string>,
  page: Page,
  total: number,
  redact: JsonRedactor,
): NodeRunList {
  if (countFitting(nodes) < nodes.length || nodes.some((node) => leftOut.has(node.path)))
    throw createOverloadError(`these ${nodes.length} node runs`);
  return { nodes: nodes.map((node) => redact(node)), pagination: toPagination(page, total) };
}

/** Keyed by the node lists of views: views of ended executions are cached and returned repeatedly. */
const shown = new WeakMap<readonly NodeRun[], number>();

/** Returns how many of a view's node runs its detail contains. */
function countShownNodes({ nodes, leftOut }: ExecutionPage): number {
  let count = shown.get(nodes);
  if (count === undefined) {
    const missing = nodes.findIndex((node) => leftOut.has(node.path));
    const known = nodes.slice(0, missing === -1 ? MAX_NODES : Math.min(missing, MAX_NODES));
    count = countFitting(known, limits.detailBytes);
    shown.set(nodes, count);
  }
  return count;
}

/**
 * Returns how many of the first node runs fit into one response: at least one. `maxBytesInBodies`: bytes of
 * the response up to which it contains node runs of bodies.
 */
function countFitting(nodes: readonly NodeRun[], maxBytesInBodies: number = limits.valueReadBytes): number {
  let size = 0;
  let count = 0;
  for (const node of nodes) {
    const isInBody = node.path !== node.nodeId;
    const most = isInBody ? maxBytesInBodies : limits.valueReadBytes;
    size += measureJsonSize(node, most - size);
    if (size > most && count > 0) break;
    count++;
  }
  return count;
}
