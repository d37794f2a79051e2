import type { Json } from '../../lib/json/json.ts';
import type { NodeError, NodeRunStatus } from '../../contract/execution.ts';
import type { CallAmounts } from '../../contract/ai/usage.ts';
import type { BodyControl, Delivery } from '../../contract/node-type.ts';
import type { GraphNode, Region } from '../graph/graph.ts';
import type { Outputs } from '../journal/journal.ts';
import type { Suspicion } from './suspicion.ts';

/** The state of one node in one frame. */
export type NodeRun = {
  readonly node: GraphNode;
  readonly frame: Frame;
  readonly path: string;
  status: NodeRunStatus;
  /** Incoming edges that have neither delivered nor died. */
  unresolved: number;
  deliveries: (Delivery & { inputIndex: number })[];
  /** Attempts made, and how many of them a process end interrupted. */
  attempt: number;
  cutOff: number;
  /** Null: it was not running in any crash since its last settled attempt. */
  suspicion: Suspicion | null;
  /** Retries by error handlers, by strategy; see retry-decision.ts. */
  handlerRetries: Map<string, number> | null;
  /** When the first attempt started. */
  startTime: number | null;
  endTime: number | null;
  /**
   * While waiting. `retry`: for the next attempt, not because the node asked to; `event`: may end before
   * `due`.
   */
  wait: { since: number; due: number; retry: boolean; event: boolean } | null;
  /** Kept only while a later node may read it. */
  input: Json;
  outputs: Outputs | null;
  error: NodeError | null;
  body: Body | null;
};

/** `config` and `loaded`: the evaluated configuration and the value that `control` was created with. */
export type Body = {
  control: BodyControl;
  config: unknown;
  loaded: Json | null;
  frames: Map<string, Frame>;
};

/** One run of a region: of the whole graph (`parent` null), or of a region of a body. */
export type Frame = {
  readonly region: Region;
  readonly parent: NodeRun | null;
  readonly key: string;
  /** The number of its first node run among those of all bodies, in the order in which they started. */
  number: number;
  runs: readonly NodeRun[];
  /** Node runs that are not settled. */
  open: number;
  alive: boolean;
  /** Outputs that no edge delivered: they make the frame's output. */
  ends: { id: string; value: Json }[];
  /** The calls of models in it and in bodies below; null without any, and for the whole graph. */
  used: CallAmounts | null;
  readonly item: Json | undefined;
  readonly index: number | undefined;
};

/** Shared and never mutated: pushing to an empty array would allocate space for 17. */
const EMPTY_LIST: never[] = [];

/** Drops all data of a settled run that no later node can read, so that long executions stay small. */
export function dropData(run: NodeRun): void {
  if (!run.node.isReferenced) run.outputs = null;
  run.input = null;
  run.deliveries = EMPTY_LIST;
  run.body = null;
}

/** Drops only the values of a settled run. */
export function dropValues(run: NodeRun): void {
  run.outputs = null;
  run.input = null;
  run.deliveries = EMPTY_LIST;
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
    number: 0,
    runs: EMPTY_LIST,
    open: region.nodes.length,
    alive: true,
    ends: [],
    used: null,
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
    deliveries: EMPTY_LIST,
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

/** The body of a run whose node has regions. `single`: its control, if the body runs only once. */
export function createBody(
  run: NodeRun,
  config: unknown,
  loaded: Json | null,
  single: BodyControl | null,
): Body {
  if (single !== null) return { control: single, config, loaded, frames: new Map() };
  const node = { isConnected: (port: string) => run.node.out.some((edge) => edge.port === port) };
  const control = run.node.type.control!(config as never, run.input, node, loaded);
  return { control, config, loaded, frames: new Map() };
}

/** Outputs on a single port. In V8 a computed key in a literal takes four times as long. */
export function createOutput(port: string, value: Json): Outputs {
  if (port === '__proto__') return { [port]: value };
  const outputs: Outputs = {};
  outputs[port] = value;
  return outputs;
}

/** Outputs as one value: the value itself for one port, an object by port for several. */
export function toSingleValue(outputs: Outputs): Json {
  const ports = Object.keys(outputs);
  return ports.length === 1 ? outputs[ports[0]!]! : ports.length === 0 ? null : outputs;
}

/** The output of a frame: the value itself for one end, an object by node id for several. */
export function buildFrameOutput(frame: Frame): Json {
  if (frame.ends.length === 1) return frame.ends[0]!.value;
  if (frame.ends.length === 0) return null;
  return Object.fromEntries(frame.ends.map((end) => [end.id, end.value]));
}

/** The input of a node, built from its deliveries in the order of the definition's connections. */
export function buildInput(run: NodeRun): Json {
  const { deliveries } = run;
  const inputs = run.node.type.inputs;
  if (inputs.length > 1) return Object.fromEntries(deliveries.map((d) => [d.port, d.value]));
  if (deliveries.length === 1) return deliveries[0]!.value;
  if (deliveries.length === 0) return null;
  return Object.fromEntries(deliveries.map((d) => [d.from, d.value]));
}
