import type { StartRequest } from '../engine-api.ts';
import type { Graph } from '../graph/graph.ts';
import type { BeginEvent } from './journal.ts';

/** The first event of an execution. */
export function createBeginEvent(request: StartRequest, entry: string | null, at: number): BeginEvent {
  const { given, failures = {}, loaded = {}, inputOf, until, iterations, input } = request;
  const event: BeginEvent = { e: 'begin', at, entry, input: { v: input } };
  if (Object.keys(given).length > 0) event.given = given;
  if (Object.keys(failures).length > 0) event.failures = failures;
  if (Object.keys(loaded).length > 0) event.loaded = loaded;
  if (inputOf !== null) event.inputOf = inputOf;
  if (until !== null) event.until = until;
  if (iterations !== undefined) event.iterations = iterations;
  return event;
}

/**
 * The trigger of the kind that started the execution, else a manual one, else the first. Disabled triggers
 * count only when there is no other. Null when the graph has no trigger.
 */
export function findEntryTrigger(graph: Graph, kind: string): string | null {
  const all = graph.root.nodes.filter((node) => node.type.isTrigger);
  const enabled = all.filter((node) => node.entry.disabled !== true);
  const triggers = enabled.length > 0 ? enabled : all;
  const ofKind = (wanted: string) => triggers.find((node) => node.config['triggerType'] === wanted);
  return (ofKind(kind) ?? ofKind('manual') ?? triggers[0])?.id ?? null;
}
