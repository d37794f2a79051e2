import type { ModelCallSum } from '../../contract/ai/usage.ts';
import type { Json } from '../../lib/json/json.ts';
import type {
  ExecutionResponse,
  LogLevel,
  NodeError,
  NodeErrorType,
  SettledStatus,
} from '../../contract/execution.ts';

/*
 * The journal is the source of truth of an execution: replaying its events in order gives its state. What
 * follows from them (which nodes are ready, their inputs, which were skipped) is never written. Names are
 * short because events are many.
 *
 * `at` and `s` are ms since the epoch, `p` is a node path, `n` the number of the attempt. A written event
 * keeps its meaning forever; a new meaning gets a new name.
 */

/** A value, or the hash of the file that holds its JSON when it is large. */
export type Stored = { v: Json } | { blob: string };

export type Outputs = Record<string, Json>;

/** `origin`: the node that failed, when another node passes its failure on. */
export type JournaledFailure = {
  type: NodeErrorType;
  message: string;
  status?: number;
  data?: Json;
  origin?: { nodeId: string; attempt: number };
};

/** The values with which a body begins. */
export type Iteration = { input: Json; item?: Json; index: number };

/**
 * Decisions made once, at the start. `given`: outputs of nodes that do not run, by path, or by node id for
 * all runs of the node; `failures`: the failures of nodes that do not run, by path; `loaded`: values with
 * which bodies begin, by the path of their owner; `inputOf`: replaces the input of one node, by id or path;
 * `until`: only this node and the nodes that lead to it run; `iterations`: the single iteration of each
 * container around `until`, outermost first.
 */
export type BeginEvent = {
  e: 'begin';
  at: number;
  entry: string | null;
  input: Stored;
  given?: Record<string, Outputs>;
  failures?: Record<string, NodeError>;
  loaded?: Record<string, Json>;
  inputOf?: { nodeId: string; input: Json };
  until?: string;
  iterations?: readonly Iteration[];
};
/** `run`: a worker started the execution; `release`: a worker released it on purpose. */
export type WorkEvent = { e: 'run' | 'release'; at: number };
/**
 * A worker took the execution over after another one crashed. `alone`: it is the only suspect running in its
 * process.
 */
export type TakeEvent = { e: 'take'; at: number; alone?: true };
/** The execution survived its probation after a crash. */
export type ClearEvent = { e: 'clear'; at: number };
/**
 * The calls of models that an attempt completed, per model, without amounts of 0: calls (1 if absent), calls
 * without a price, input tokens, cached input tokens, output tokens, reasoning tokens, nanodollars.
 */
export type UsageEntry = {
  m: string;
  k?: number;
  x?: number;
  i?: number;
  c?: number;
  o?: number;
  r?: number;
  d?: number;
};
type WithUsage = { u?: UsageEntry[] };
/** An attempt with external effects is about to start. */
export type StartEvent = { e: 'start'; p: string; n: number; at: number };
/**
 * A node completed. Either `same`, the port that passed the input on unchanged, or `o`, the outputs. `s` is
 * the start of an attempt that had no start event.
 */
export type EndEvent = WithUsage & {
  e: 'end';
  p: string;
  n: number;
  at: number;
  s?: number;
  same?: string;
  o?: Stored;
  respond?: ExecutionResponse;
  stop?: { status: 'completed'; output: Json } | { status: 'failed'; message: string };
};
/** A node with a body has loaded the value with which the body begins. */
export type LoadEvent = { e: 'load'; p: string; n: number; at: number; o: Stored };
/** A node failed for good. */
export type FailEvent = WithUsage & {
  e: 'fail';
  p: string;
  n: number;
  at: number;
  s?: number;
  err: JournaledFailure;
};
/**
 * An attempt failed and is retried when due. `by`: the handler and strategy that retry it, unless the node's
 * own policy does.
 */
export type RetryEvent = WithUsage & {
  e: 'retry';
  p: string;
  n: number;
  at: number;
  s?: number;
  due: number;
  err: JournaledFailure;
  by?: string;
};
/** A node waits until `due`, or with `ev` until an event arrives for it. */
export type WaitEvent = WithUsage & {
  e: 'wait';
  p: string;
  n: number;
  at: number;
  s?: number;
  due: number;
  ev?: true;
};
export type LogEvent = { e: 'log'; p: string; at: number; l: LogLevel; m: string; d?: Json };
export type StopEvent = { e: 'stop'; at: number };
/** The execution reached its timeout. */
export type ExpireEvent = { e: 'expire'; at: number };
/** An unexpected error in Weft ended the execution. */
export type InternalErrorEvent = { e: 'fault'; at: number };
/** The end. Output and error follow from earlier events and are not written again. */
export type DoneEvent = { e: 'done'; at: number; status: SettledStatus };

/** Events of one node run. */
export type NodeEvent = StartEvent | LoadEvent | EndEvent | FailEvent | RetryEvent | WaitEvent | LogEvent;

export type JournalEvent =
  | BeginEvent
  | WorkEvent
  | TakeEvent
  | ClearEvent
  | NodeEvent
  | StopEvent
  | ExpireEvent
  | InternalErrorEvent
  | DoneEvent;

export function toUsageEntries(sums: readonly ModelCallSum[]): UsageEntry[] {
  return sums.map((sum) => ({
    m: sum.model,
    ...(sum.calls !== 1 && { k: sum.calls }),
    ...(sum.unpriced > 0 && { x: sum.unpriced }),
    ...(sum.inputTokens > 0 && { i: sum.inputTokens }),
    ...(sum.cachedInputTokens > 0 && { c: sum.cachedInputTokens }),
    ...(sum.outputTokens > 0 && { o: sum.outputTokens }),
    ...(sum.reasoningTokens > 0 && { r: sum.reasoningTokens }),
    ...(sum.cost > 0 && { d: sum.cost }),
  }));
}

export function readUsageEntry({
  m,
  k = 1,
  x = 0,
  i = 0,
  c = 0,
  o = 0,
  r = 0,
  d = 0,
}: UsageEntry): ModelCallSum {
  return {
    model: m,
    calls: k,
    unpriced: x,
    inputTokens: i,
    cachedInputTokens: c,
    outputTokens: o,
    reasoningTokens: r,
    cost: d,
  };
}

export function encodeStopEvents(at: number): string {
  return JSON.stringify([{ e: 'stop', at } satisfies StopEvent]);
}

/**
 * An event as it is written. `at` is omitted when the previous event in the row has the same (`before`; 0 for
 * the first), `n` when it is 1. `s` is written as the ms before `at`. A stored value comes last.
 */
export function encodeEvent(event: JournalEvent, before: number): string {
  const { e, at } = event;
  const writtenAt = at === before ? undefined : at;
  // All fields in one order give V8 a single shape; undefined fields are not written.
  if (e === 'begin') {
    const { entry, given, failures, loaded, inputOf, until, iterations, input } = event;
    const fields = { e, at: writtenAt, entry, given, failures, loaded, inputOf, until, iterations, input };
    return JSON.stringify(fields);
  }
  if (e === 'end') {
    const { p, n, s, same, respond, stop, u, o } = event;
    const since = s === undefined ? undefined : at - s;
    return JSON.stringify({
      e,
      at: writtenAt,
      p,
      n: n === 1 ? undefined : n,
      s: since,
      same,
      respond,
      stop,
      u,
      o,
    });
  }
  if (e === 'load') {
    const { p, n, o } = event;
    return JSON.stringify({ e, at: writtenAt, p, n: n === 1 ? undefined : n, o });
  }
  if (!('n' in event)) return JSON.stringify({ ...event, e, at: writtenAt });
  const since = 's' in event && event.s !== undefined ? at - event.s : undefined;
  return JSON.stringify({ ...event, e, at: writtenAt, n: event.n === 1 ? undefined : event.n, s: since });
}

/** The events of a row of the journal. */
export function parseEvents(row: string): JournalEvent[] {
  const events = JSON.parse(row) as JournalEvent[];
  let at = 0;
  for (const event of events) {
    event.at ??= at;
    ({ at } = event);
    if ('p' in event && event.e !== 'log') {
      event.n ??= 1;
      if ('s' in event && event.s !== undefined) event.s = at - event.s;
    }
  }
  return events;
}
