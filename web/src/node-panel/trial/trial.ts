import type { Catalog } from '../../canvas/model/catalog.ts';
import { toDefinition, type Doc, type JsonObject } from '../../canvas/model/document.ts';
import { setConfig } from '../../canvas/model/edit/edit-config.ts';
import { client } from '../../data/client.ts';
import type { DisplayedRun } from '../../runs/displayed-run.ts';
import { createNodeRunRequest } from '../../runs/node-run-request.ts';
import { loadRun } from './past-runs.ts';

/** The node types that call a language model. */
const MODEL_TYPES: ReadonlySet<string> = new Set(['llm', 'extract', 'classify', 'summarise', 'agent']);

export const canTry = (type: string): boolean => MODEL_TYPES.has(type);

/** A run of one node with a configuration that is not saved. */
export type Trial = {
  readonly workflowId: string;
  readonly doc: Doc;
  readonly catalog: Catalog;
  readonly nodeId: string;
  readonly config: JsonObject;
  /** The run that supplies the data. */
  readonly run: DisplayedRun;
  /** Of the run of the node whose input is used. */
  readonly path: string | null;
};

/** Starts the trial. Returns the id of its execution. */
export async function startTrial(
  { workflowId, doc, catalog, nodeId, config, run, path }: Trial,
  signal: AbortSignal,
): Promise<string> {
  const changed = setConfig(doc, catalog, nodeId, config);
  const { id } = await client.workflows.execute(
    workflowId,
    {
      ...createNodeRunRequest(changed, catalog, nodeId, run, new Map(), path),
      definition: toDefinition(changed),
    },
    { signal },
  );
  return id;
}

/** Resolves with the data of the trial when it has ended. */
export async function finishTrial(executionId: string, signal: AbortSignal): Promise<DisplayedRun> {
  await client.executions.waitFor(executionId, { signal });
  return loadRun(executionId, signal);
}
