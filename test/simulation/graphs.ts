import type { Connection, Definition, NodeEntry } from '../../src/contract/definition.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import type { Scheduler } from './scheduler.ts';

/** A random small graph: a chain of nodes, choices, joined fan-outs and parallel branches. */
export function createRandomDefinition(chance: Scheduler): Definition {
  const nodes: NodeEntry[] = [{ id: 'start', type: 'trigger', config: { triggerType: 'manual' } }];
  const connections: Connection[] = [];
  let last = ['start'];
  const add = (entry: NodeEntry, from: readonly string[]): string => {
    nodes.push(entry);
    for (const one of from) connections.push({ from: one, to: entry.id });
    return entry.id;
  };
  const name = (): string => `n${nodes.length}`;
  for (let blocks = chance.between(1, 5); blocks > 0; blocks--) {
    const kind = chance.between(0, 9);
    if (kind <= 4) last = [add(createRandomNode(name(), chance), last)];
    else if (kind <= 6) {
      const sides = Array.from({ length: chance.between(2, 3) }, () =>
        add(createRandomNode(name(), chance), last),
      );
      last = [add(pass(name()), sides)];
    } else if (kind === 7) {
      const condition = { field: 'never', operator: chance.pick(['exists', 'not_exists']) };
      const choice = add({ id: name(), type: 'condition', config: { condition } }, last);
      const sides = ['true', 'false'].map((port) => {
        const side = add(createRandomNode(name(), chance), []);
        connections.push({ from: choice, sourcePort: port, to: side });
        return side;
      });
      last = [add(pass(name()), sides)];
    } else {
      const id = name();
      const config: JsonObject = { waitForAll: chance.chance(0.7) };
      add({ id, type: 'parallel', config }, last);
      config['branches'] = Array.from({ length: chance.between(2, 3) }, (_, i) => ({
        name: `b${i}`,
        nodes: Array.from({ length: chance.between(1, 3) }, () => add(createRandomNode(name(), chance), [])),
      }));
      if (chance.chance(0.2)) config['timeout'] = '3s';
      last = [id];
    }
  }
  return { nodes, connections };
}

const pass = (id: string): NodeEntry => ({ id, type: 'relay', config: {} });

function createRandomNode(id: string, chance: Scheduler): NodeEntry {
  const kind = chance.between(0, 9);
  if (kind <= 1) return pass(id);
  if (kind <= 3) return { id, type: 'delay', config: { duration: `${chance.between(1, 900)}ms` } };
  if (kind === 4) return { id, type: 'awaits', config: {} };
  const config: JsonObject = { failures: chance.chance(0.25) ? chance.between(1, 3) : 0 };
  if (chance.chance(0.03)) config['kills'] = true;
  if (chance.chance(0.8))
    config['retryPolicy'] = {
      maxAttempts: 5,
      initialDelay: '50ms',
      maxDelay: '1s',
      retryConditions: ['server_error'],
    };
  return { id, type: 'effect', config };
}
