import type { Connection, Definition, NodeEntry } from '../../src/contract/definition.ts';
import { buildGraph } from '../../src/engine/graph/graph-builder.ts';
import type { Graph } from '../../src/engine/graph/graph.ts';
import { runToEnd } from '../../src/lib/async/time-slice.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { createNodeTypes } from '../../src/nodes/catalog.ts';
import { builtinNodes } from '../../src/nodes/registry.ts';
import type { SeededRandom } from '../support/seeded-random.ts';

const types = createNodeTypes(builtinNodes);
export const start: NodeEntry = { id: 'start', type: 'trigger', config: { triggerType: 'manual' } };
export const createPassNode = (id: string): NodeEntry => ({
  id,
  type: 'data_transformer',
  config: { operations: [] },
});

export function toGraph(definition: Definition): Graph {
  const { graph, form, issues } = runToEnd(buildGraph(definition, types));
  if (graph === null) throw new Error(JSON.stringify({ form, issues, definition }));
  return graph;
}

/**
 * A random chain of nodes and bodies, with fan-outs; bodies contain further bodies up to a depth.
 * `isOrdered`: the result does not depend on the order in which nodes end.
 */
export function createRandomDefinition(random: SeededRandom, isOrdered = false): Definition {
  const nodes: NodeEntry[] = [start];
  const connections: Connection[] = [];
  const name = (): string => `n${nodes.length}`;
  const add = (entry: NodeEntry): string => {
    nodes.push(entry);
    return entry.id;
  };
  const list = (depth: number): string[] => Array.from({ length: 1 + random.int(2) }, () => block(depth));
  function block(depth: number): string {
    const id = name();
    const kind = depth === 0 ? 0 : random.int(7);
    if (kind < 3) return add(createPassNode(id));
    const config: JsonObject = {};
    if (kind === 3) {
      add({ id, type: 'for_each', config });
      config['items'] = random.is(0.5) ? '{{ trigger.items }}' : [1, 2, 3];
      config['concurrency'] = 1 + random.int(3);
      config['onError'] = random.pick(['fail', 'continue']);
      config['nodes'] = list(depth - 1);
    } else if (kind === 4) {
      add({ id, type: 'while', config });
      config['condition'] = { field: 'more', operator: 'equals', value: true };
      config['maxIterations'] = 5;
      config['nodes'] = list(depth - 1);
    } else if (kind === 5) {
      add({ id, type: 'parallel', config });
      config['waitForAll'] = random.is(0.6) || isOrdered;
      config['branches'] = Array.from({ length: 2 }, (_, i) => ({ name: `b${i}`, nodes: list(depth - 1) }));
    } else {
      add({ id, type: 'agent', config });
      config['prompt'] = 'Do it.';
      config['maxTurns'] = 6;
      config['model'] = [add(createPassNode(name()))];
      const parameters = { type: 'object' };
      config['tools'] = [{ name: 'look', description: 'Looks.', parameters, nodes: list(depth - 1) }];
    }
    return id;
  }
  let last = 'start';
  for (let blocks = 1 + random.int(4); blocks > 0; blocks--) {
    const id = block(2);
    connections.push({ from: last, to: id });
    if (random.is(0.3)) connections.push({ from: last, to: add(createPassNode(name())) });
    if (random.is(0.3)) connections.push({ from: id, sourcePort: 'error', to: add(createPassNode(name())) });
    last = id;
  }
  return { nodes, connections };
}
