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
/** A worker started to work on it (again: `take`, after another one died; `release`: it was put down on purpose). */
export type WorkEvent = { e: 'run' | 'take' | 'release'; at: number };
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
/** The end. Output and error follow from what was before; they are not written again. */
export type DoneEvent = { e: 'done'; at: number; status: SettledStatus };

export type JournalEvent =
  | BeginEvent
  | WorkEvent
  | StartEvent
  | EndEvent
  | FailEvent
  | RetryEvent
  | WaitEvent
  | LogEvent
  | StopEvent
  | ExpireEvent
  | DoneEvent;

export function stopEvents(at: number): string {
  return JSON.stringify([{ e: 'stop', at } satisfies StopEvent]);
}

/**
 * An event as it is written, but for the brace that closes it. What goes without saying is left out: `at` when the event
 * before it in the row (`before`; 0 for the first) had the same, and `n` when it is 1. `s` is written as the ms before `at`.
 */
export function eventText(event: JournalEvent, before: number): string {
  let text = event.at === before ? `{"e":"${event.e}"` : `{"e":"${event.e}","at":${event.at}`;
  if (event.e === 'end') return text + endFields(event);
  const fields = event as unknown as Record<string, Json | undefined>;
  for (const name in fields) {
    const value = fields[name];
    if (value === undefined || name === 'e' || name === 'at' || (name === 'n' && value === 1)) continue;
    if (name === 's') text += `,"s":${event.at - (value as number)}`;
    else text += `,"${name}":${typeof value === 'number' ? value : JSON.stringify(value)}`;
  }
  return text;
}

/** The same of the kind that there are most of, without a look at what each field is. */
function endFields({ p, n, at, s, same, o, respond, stop }: EndEvent): string {
  let text = `,"p":${JSON.stringify(p)}`;
  if (n !== 1) text += `,"n":${n}`;
  if (s !== undefined) text += `,"s":${at - s}`;
  if (same !== undefined) text += `,"same":${JSON.stringify(same)}`;
  if (o !== undefined) text += `,"o":${JSON.stringify(o)}`;
  if (respond !== undefined) text += `,"respond":${JSON.stringify(respond)}`;
  return stop === undefined ? text : `${text},"stop":${JSON.stringify(stop)}`;
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
