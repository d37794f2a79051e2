import type { Json } from '../lib/json.ts';
import type { HttpAnswer, LogLevel, NodeErrorType, SettledStatus } from '../contract/execution.ts';

/*
 * The journal is the truth of an execution: folding its events in order gives its state. What follows from them (which
 * node is ready, what arrived at it, what was skipped) is never written. Names are short because there are many.
 *
 * `at` and `s` are ms since the epoch, `p` is a node path, `n` the number of the attempt.
 * An event once written keeps its meaning for ever; a new meaning gets a new name.
 */

/** A value, or the hash of the content that holds its JSON when it is large. */
export type Stored = { v: Json } | { blob: string };

export type Outputs = Record<string, Json>;

/** `origin`: the node that failed, where another one passes its failure on. */
export type JournaledFailure = {
  type: NodeErrorType;
  message: string;
  status?: number;
  data?: Json;
  origin?: { nodeId: string; attempt: number };
};

/**
 * What is decided once, at the beginning. `given`: outputs of nodes that do not run, by path; `inputOf`: what arrives at
 * one node instead of what would; `until`: only what leads to this node runs.
 */
export type BeginEvent = {
  e: 'begin';
  at: number;
  entry: string | null;
  input: Stored;
  given?: Record<string, Outputs>;
  inputOf?: { nodeId: string; input: Json };
  until?: string;
};
/** A worker started to work on it; `release`: it was put down on purpose. */
export type WorkEvent = { e: 'run' | 'release'; at: number };
/** A worker works on it after another one crashed; with `alone`, it is the only suspect at work in its process. */
export type TakeEvent = { e: 'take'; at: number; alone?: true };
/** Taken over after a crash, it has been at work for its whole probation. */
export type ClearEvent = { e: 'clear'; at: number };
/** An attempt with external effects is about to start. */
export type StartEvent = { e: 'start'; p: string; n: number; at: number };
/**
 * A node completed. Either `same`, the port on which what arrived left unchanged, or `o`, the outputs. `s` is the start of
 * an attempt that had no start event.
 */
export type EndEvent = {
  e: 'end';
  p: string;
  n: number;
  at: number;
  s?: number;
  same?: string;
  o?: Stored;
  respond?: HttpAnswer;
  stop?: { status: 'completed'; output: Json } | { status: 'failed'; message: string };
};
/** A node failed for good. */
export type FailEvent = { e: 'fail'; p: string; n: number; at: number; s?: number; err: JournaledFailure };
/** An attempt failed; the next one is due. `by`: not by the node's own policy, but by this strategy of a handler. */
export type RetryEvent = {
  e: 'retry';
  p: string;
  n: number;
  at: number;
  s?: number;
  due: number;
  err: JournaledFailure;
  by?: string;
};
/** A node has nothing to do until `due`; with `ev`, or until something comes for it. */
export type WaitEvent = { e: 'wait'; p: string; n: number; at: number; s?: number; due: number; ev?: true };
export type LogEvent = { e: 'log'; p: string; at: number; l: LogLevel; m: string; d?: Json };
export type StopEvent = { e: 'stop'; at: number };
/** The whole execution ran out of its time. */
export type ExpireEvent = { e: 'expire'; at: number };
/** Weft itself could not go on with it: it ends here, and no other one with it. */
export type FaultEvent = { e: 'fault'; at: number };
/** The end. Output and error follow from what was before; they are not written again. */
export type DoneEvent = { e: 'done'; at: number; status: SettledStatus };

export type JournalEvent =
  | BeginEvent
  | WorkEvent
  | TakeEvent
  | ClearEvent
  | StartEvent
  | EndEvent
  | FailEvent
  | RetryEvent
  | WaitEvent
  | LogEvent
  | StopEvent
  | ExpireEvent
  | FaultEvent
  | DoneEvent;

export function stopEvents(at: number): string {
  return JSON.stringify([{ e: 'stop', at } satisfies StopEvent]);
}

/**
 * An event as it is written. What goes without saying is left out: `at` when the event before it in the row (`before`; 0 for
 * the first) had the same, and `n` when it is 1. `s` is written as the ms before `at`. A stored value comes last.
 */
export function eventText(event: JournalEvent, before: number): string {
  const { e, at } = event;
  const told = at === before ? undefined : at;
  // Fields in one order and none left out: V8 then has one shape for all, and what is undefined is not written.
  if (e === 'begin') {
    const { entry, given, inputOf, until, input } = event;
    return JSON.stringify({ e, at: told, entry, given, inputOf, until, input });
  }
  if (e === 'end') {
    const { p, n, s, same, respond, stop, o } = event;
    const since = s === undefined ? undefined : at - s;
    return JSON.stringify({ e, at: told, p, n: n === 1 ? undefined : n, s: since, same, respond, stop, o });
  }
  if (!('n' in event)) return JSON.stringify({ ...event, e, at: told });
  const since = 's' in event && event.s !== undefined ? at - event.s : undefined;
  return JSON.stringify({ ...event, e, at: told, n: event.n === 1 ? undefined : event.n, s: since });
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
