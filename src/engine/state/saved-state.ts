import type { CallAmounts, ModelCallSum } from '../../contract/ai/usage.ts';
import type { ExecutionResponse } from '../../contract/execution.ts';
import type { Json } from '../../lib/json/json.ts';
import type { BeginEvent } from '../journal/journal.ts';
import type { ExecutionData } from './execution-data.ts';
import { createBody, createFrame, type Frame, type NodeRun } from './frame.ts';
import type { SavedProgress } from './progress.ts';
import { findSingleIteration } from './single-iteration.ts';

/*
 * The state of a running execution as data, for a snapshot. Values are not copied: the same value in several
 * places remains one object, so that a structured clone stores it once.
 */

/**
 * The version of what a snapshot contains. A change to the state, to what `BodyControl.save` of a node
 * returns, or to the consequences of an event requires a new version. Snapshots of other versions are
 * ignored, and the whole journal is replayed.
 */
export const SNAPSHOT_VERSION = 4;
/**
 * The versions that a state can be restored from. In version 2, the results of `for_each` are a list. Before
 * version 4, the calls of models in a body that runs are missing, so a limit of its agent counts fewer.
 */
export const READABLE_SNAPSHOT_VERSIONS: readonly number[] = [2, 3, SNAPSHOT_VERSION];

/** The fields of a node run that change, except its body. */
type RunField = Exclude<keyof NodeRun, 'node' | 'frame' | 'path' | 'body'>;

/** Their values in a node run that has not begun; those of `unresolved` and `deliveries` differ. */
const INITIAL: Readonly<Record<RunField, unknown>> = {
  status: 'pending',
  unresolved: null,
  deliveries: null,
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
};
const RUN_FIELDS = Object.keys(INITIAL) as RunField[];

/** `fields`: only those that differ from a node run that has not begun. */
type SavedRun = {
  nodeId: string;
  fields: Partial<Pick<NodeRun, RunField>>;
  body: { config: unknown; loaded: Json | null; control: unknown } | null;
};

/** `parent`: the path of the owner's run; null for the root. `isOpen`: its owner's body still has it. */
type SavedFrame = Pick<Frame, 'key' | 'number' | 'open' | 'ends' | 'item' | 'index'> & {
  /** Missing before version 4. */
  used?: CallAmounts | null;
  region: string;
  parent: string | null;
  isOpen: boolean;
  runs: SavedRun[];
};

export type SavedData = {
  beginEvent: BeginEvent | null;
  at: number;
  startTime: number | null;
  steps: number;
  response: ExecutionResponse | null;
  logCount: number;
  countInBodies: number;
  usage: ModelCallSum[];
  progress: SavedProgress;
  /** Paths, in order. */
  ready: string[];
  /** The root first, then those of bodies in the order in which they started. */
  frames: SavedFrame[];
};

/** @throws {Error} when the execution has ended. */
export function saveData(data: ExecutionData): SavedData {
  if (data.settled !== null) throw new Error('An ended execution has no snapshot.');
  const frames = new Set<Frame>([data.root]);
  // Nothing changes the frames that are over.
  for (const run of data.runs.all()) if (run.frame.alive) frames.add(run.frame);
  const { beginEvent, at, startTime, steps, response, logCount } = data;
  return {
    beginEvent,
    at,
    startTime,
    steps,
    response,
    logCount,
    countInBodies: data.runs.countInBodies,
    usage: [...data.usage.values()],
    progress: data.endedNodes.save(),
    ready: data.ready.filter((run) => run.frame.alive).map((run) => run.path),
    frames: [...frames].map(saveFrame),
  };
}

function saveFrame(frame: Frame): SavedFrame {
  const { key, number, open, ends, used, item, index, parent, region } = frame;
  const runs: SavedRun[] = [];
  for (const run of frame.runs) {
    const saved = saveRun(run);
    if (saved !== null) runs.push(saved);
  }
  const isOpen = parent?.body?.frames.get(key) === frame;
  const place = { key, number, region: region.name, parent: parent?.path ?? null, isOpen };
  return { ...place, open, ends, used, item, index, runs };
}

/** Null: the run has not begun. */
function saveRun(run: NodeRun): SavedRun | null {
  const fields: Record<string, unknown> = {};
  for (const field of RUN_FIELDS) if (!isInitial(run, field)) fields[field] = run[field];
  if (run.body === null && Object.keys(fields).length === 0) return null;
  const { body } = run;
  return {
    nodeId: run.node.id,
    fields,
    body: body && { config: body.config, loaded: body.loaded, control: body.control.save() },
  };
}

function isInitial(run: NodeRun, field: RunField): boolean {
  if (field === 'unresolved') return run.unresolved === run.node.in.length;
  if (field === 'deliveries') return run.deliveries.length === 0;
  return run[field] === INITIAL[field];
}

/** Changes a new state to a saved one. @throws {Error} when it does not fit the graph. */
export function restoreData(data: ExecutionData, saved: SavedData): void {
  data.at = saved.at;
  data.startTime = saved.startTime;
  data.steps = saved.steps;
  data.response = saved.response;
  data.logCount = saved.logCount;
  for (const sum of saved.usage) data.usage.set(sum.model, sum);
  data.endedNodes.restore(saved.progress, data.graph);
  for (const each of saved.frames) restoreFrame(data, each);
  data.runs.countInBodies = saved.countInBodies;
  data.ready = saved.ready.map((path) => findRun(data, path));
}

function restoreFrame(data: ExecutionData, saved: SavedFrame): void {
  const frame = saved.parent === null ? data.root : createBodyFrame(data, saved.parent, saved);
  frame.number = saved.number;
  frame.open = saved.open;
  frame.ends = saved.ends;
  frame.used = saved.used ?? null;
  const runs = new Map(frame.runs.map((run) => [run.node.id, run]));
  for (const { nodeId, fields, body } of saved.runs) {
    const run = runs.get(nodeId);
    if (run === undefined) throw new Error(`The snapshot names an unknown node: ${nodeId}`);
    Object.assign(run, fields);
    if (body === null) continue;
    run.body = createBody(run, body.config, body.loaded, findSingleIteration(data, run)?.control ?? null);
    run.body.control.restore(body.control);
  }
}

function createBodyFrame(data: ExecutionData, path: string, saved: SavedFrame): Frame {
  const owner = findRun(data, path);
  const region = owner.node.regions?.get(saved.region);
  if (region === undefined) throw new Error(`The snapshot names an unknown region: ${path} ${saved.region}`);
  const loop: { item?: Json; index?: number } = {};
  if (saved.item !== undefined) loop.item = saved.item;
  if (saved.index !== undefined) loop.index = saved.index;
  const frame = createFrame(region, owner, saved.key, loop);
  if (saved.isOpen) owner.body?.frames.set(saved.key, frame);
  data.runs.add(frame);
  return frame;
}

function findRun(data: ExecutionData, path: string): NodeRun {
  const run = data.runs.get(path);
  if (run === undefined) throw new Error(`The snapshot names an unknown node run: ${path}`);
  return run;
}
