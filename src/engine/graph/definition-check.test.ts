import { expect, test } from 'vitest';
import type { Definition } from '../../contract/definition.ts';
import { runSliced, runToEnd } from '../../lib/async/time-slice.ts';
import { validateConfig } from '../../nodes/validate-config.ts';
import { createNodeTypes } from '../../nodes/catalog.ts';
import { builtinNodes } from '../../nodes/registry.ts';
import { limits } from '../../ports/limits.ts';
import { checkDefinition } from './definition-check.ts';

test('a large definition is checked in slices, with the same result', async () => {
  const definition: Definition = {
    nodes: [
      { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
      ...Array.from({ length: 200 }, (_, i) => ({
        id: `n${i}`,
        type: i === 7 ? 'nothing' : 'limit',
        config: {},
      })),
    ],
    connections: Array.from({ length: 200 }, (_, i) => ({
      from: i === 0 ? 'start' : `n${i - 1}`,
      to: `n${i}`,
    })),
  };
  const types = createNodeTypes(builtinNodes);
  let now = 0;
  const clock = {
    pauses: 0,
    now: () => (now += limits.timeSliceMs),
    soon(run: () => void) {
      clock.pauses++;
      setImmediate(run);
    },
  };
  const found = await runSliced(
    clock,
    limits.timeSliceMs,
    checkDefinition(definition, types, validateConfig),
  );
  expect(found).toEqual(runToEnd(checkDefinition(definition, types, validateConfig)));
  expect(found.issues.some(({ node_id }) => node_id === 'n7')).toBe(true);
  // One step for each node when the graph is built, one when it is checked, and one for each connection.
  expect(clock.pauses).toBeGreaterThan(590);
});
