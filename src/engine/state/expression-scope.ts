import type { Json, JsonObject } from '../../lib/json/json.ts';
import { toSingleValue, type Frame, type NodeRun } from './frame.ts';
import type { Graph } from '../graph/graph.ts';
import type { TemplateScope } from '../../expressions/scope.ts';

type ScopeSource = {
  readonly graph: Graph;
  readonly identity: { id: string; workflowId: string; workflowVersion: number };
  readonly triggerScope: Json;
  /** The URL that resumes any waiting node; null where no nodes run. */
  readonly resumeUrl: (() => string) | null;
};

type Secrets = ((name: string) => string | undefined) | null;
/** A node writes additional names for one evaluation into it. */
export type NodeRunScope = TemplateScope & {
  value: Json | undefined;
  item: Json | undefined;
  index: number | undefined;
};

/** Names that a node's templates can read. `secrets` exists only inside the runner, while a value is used. */
export function createNodeRunScope(
  source: ScopeSource,
  run: NodeRun,
  now: number,
  secrets: Secrets,
): NodeRunScope {
  return createFrameScope(source, run.frame, run.input, now, secrets);
}

/** The same scope for any node in this frame with this input. */
export function createFrameScope(
  source: ScopeSource,
  frame: Frame,
  input: Json,
  now: number,
  secrets: Secrets,
): NodeRunScope {
  const { id, workflowId, workflowVersion } = source.identity;
  return {
    input,
    trigger: source.triggerScope,
    nodes: (node) => findOutput(source.graph, node, frame),
    execution: () => executionScope(id, source.resumeUrl),
    workflow: { id: workflowId, version: workflowVersion },
    secrets: secrets ?? undefined,
    value: undefined,
    item: frame.item,
    index: frame.index,
    now,
  };
}

/** The output of a node of the same frame, or of an enclosing frame. */
function findOutput(graph: Graph, id: string, from: Frame): Json | undefined {
  const node = graph.nodes.get(id);
  if (node === undefined) return undefined;
  for (let frame: Frame | undefined = from; frame !== undefined; frame = frame.parent?.frame)
    if (frame.region === node.region) {
      const outputs = frame.runs[node.index]?.outputs;
      return outputs === null || outputs === undefined ? undefined : toSingleValue(outputs);
    }
  return undefined;
}

/** Builds the URL only when a template reads it. */
function executionScope(id: string, resumeUrl: (() => string) | null): JsonObject {
  if (resumeUrl === null) return { id };
  return {
    id,
    get resume_url() {
      return resumeUrl();
    },
  };
}
