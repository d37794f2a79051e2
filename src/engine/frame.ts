import type { Json } from '../lib/json.ts';
import type { NodeError, NodeRunStatus } from '../contract/execution.ts';
import type { BodyControl, Delivery } from '../contract/node-type.ts';
import type { GraphNode, Region } from './graph.ts';
import type { Outputs } from './journal.ts';
import type { Suspicion } from './suspicion.ts';

/** What happened so far to one node in one frame. */
export type NodeRun = {
  readonly node: GraphNode;
  readonly frame: Frame;
  readonly path: string;
  status: NodeRunStatus;
  /** Incoming edges that have neither delivered nor died. */
  unresolved: number;
  deliveries: (Delivery & { place: number })[];
  /** Tries made, and those of them that the end of a process cut off. */
  attempt: number;
  cutOff: number;
  /** Null: it was not at work in a crash since its last settled attempt. */
  suspicion: Suspicion | null;
  /** Retries that handlers gave it, by strategy; see recovery.ts. */
  handlerRetries: Map<string, number> | null;
  /** The first try's start. */
  startTime: number | null;
  endTime: number | null;
  /**
   * While waiting: since when and until when; `retry` tells a wait for the next try from one that the node asked for, `event`
   * one that may end before it is due.
   */
  wait: { since: number; due: number; retry: boolean; event: boolean } | null;
  /** What it was given: kept only as long as something may ask for it. */
  input: Json;
  outputs: Outputs | null;
  error: NodeError | null;
  body: { control: BodyControl; frames: Map<string, Frame> } | null;
};

/** One run of a region: of the whole graph (`parent` null), or of a list of a body. */
export type Frame = {
  readonly region: Region;
  readonly parent: NodeRun | null;
  readonly key: string;
  runs: readonly NodeRun[];
  /** Node runs that are not settled. */
  open: number;
  alive: boolean;
  /** What the nodes gave from which nothing was delivered further: the frame's output. */
  ends: { id: string; value: Json }[];
  readonly item: Json | undefined;
  readonly index: number | undefined;
};

/** Replaced when there is something to put in: pushing to an empty list would make room for 17. */
const none: never[] = [];

/** Lets go of what nothing can ask for any more of a settled run, so that a long execution stays small. */
export function forget(run: NodeRun): void {
  if (!run.node.referenced) run.outputs = null;
  run.input = null;
  run.deliveries = none;
  run.body = null;
}

/** Lets go of the values of a settled run, and of nothing else. */
export function letGo(run: NodeRun): void {
  run.outputs = null;
  run.input = null;
  run.deliveries = none;
}

export function deliver(run: NodeRun, delivery: NodeRun['deliveries'][number]): void {
  if (run.deliveries.length === 0) run.deliveries = [delivery];
  else run.deliveries.push(delivery);
}

export function createFrame(
  region: Region,
  parent: NodeRun | null,
  key: string,
  loop: { item?: Json; index?: number } = {},
): Frame {
  const frame: Frame = {
    region,
    parent,
    key,
    runs: none,
    open: region.nodes.length,
    alive: true,
    ends: [],
    item: loop.item ?? parent?.frame.item,
    index: loop.index ?? parent?.frame.index,
  };
  const prefix = parent === null ? '' : `${parent.path}[${key}]/`;
  frame.runs = region.nodes.map((node): NodeRun => ({
    node,
    frame,
    path: prefix + node.id,
    status: 'pending',
    unresolved: node.in.length,
    deliveries: none,
    attempt: 0,
    cutOff: 0,
    suspicion: null,
    handlerRetries: null,
    startTime: null,
    endTime: null,
    wait: null,
    input: null,
    outputs: null,
    error: null,
    body: null,
  }));
  return frame;
}

/** The outputs of a node that gave this on one port. A computed name in a literal would take V8 four times as long. */
export function outputOn(port: string, value: Json): Outputs {
  if (port === '__proto__') return { [port]: value };
  const outputs: Outputs = {};
  outputs[port] = value;
  return outputs;
}

/** What a node or a frame gave as one value: of one port the value itself, of several an object by port. */
export function asValue(outputs: Outputs): Json {
  const ports = Object.keys(outputs);
  return ports.length === 1 ? outputs[ports[0]!]! : ports.length === 0 ? null : outputs;
}

/** The output of a frame: of one end the value itself, of several an object by node id. */
export function frameOutput(frame: Frame): Json {
  if (frame.ends.length === 1) return frame.ends[0]!.value;
  if (frame.ends.length === 0) return null;
  return Object.fromEntries(frame.ends.map((end) => [end.id, end.value]));
}

/** What arrives at a node, from its deliveries in the order of the definition's connections. */
export function arrived(run: NodeRun): Json {
  const { deliveries } = run;
  const inputs = run.node.type.inputs;
  if (inputs.length > 1) return Object.fromEntries(deliveries.map((d) => [d.port, d.value]));
  if (deliveries.length === 1) return deliveries[0]!.value;
  if (deliveries.length === 0) return null;
  return Object.fromEntries(deliveries.map((d) => [d.from, d.value]));
}
