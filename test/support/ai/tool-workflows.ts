import type { Call } from '../service.ts';

type Node = { id: string; type: string; config?: object };

/** A workflow that is a tool: its nodes run one after another, behind the trigger. */
export type ToolWorkflow = {
  readonly name: string;
  readonly trigger?: object;
  readonly nodes: readonly Node[];
  /** Default: the nodes form a chain. */
  readonly connections?: readonly { from: string; to: string }[];
  readonly settings?: object;
};

/** Ends the execution with this output. */
export function completeWith(output: unknown): Node {
  return { id: 'end', type: 'stop', config: { outcome: 'completed', output } };
}

export function createStopNode(message: string): Node {
  return { id: 'end', type: 'stop', config: { outcome: 'failed', message } };
}

/** Creates and activates the workflows; returns their ids by the name of the tool. */
export async function createToolWorkflows(
  api: Call,
  workflows: readonly ToolWorkflow[],
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const { name, trigger = {}, nodes, connections, settings } of workflows) {
    const start = {
      id: 'start',
      type: 'trigger',
      config: { triggerType: 'tool', name, description: `The tool ${name}.`, ...trigger },
    };
    const all = [start, ...nodes];
    const response = await api('POST', '/workflows', {
      body: {
        name,
        status: 'active',
        definition: {
          nodes: all,
          connections: connections ?? nodes.map((node, i) => ({ from: all[i]!.id, to: node.id })),
        },
        ...(settings !== undefined && { settings }),
      },
    });
    if (response.status !== 201) throw new Error(`${name}: ${response.text}`);
    ids.set(name, (response.body as { id: string }).id);
  }
  return ids;
}
