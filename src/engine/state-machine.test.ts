import { expect, it } from 'vitest';
import { settledStatuses } from '../contract/execution.ts';
import { stateMachine } from './state-machine.ts';
import { executionTransitions } from './transitions.ts';

/** `npx vitest run src/engine/state-machine.test.ts -u` writes the page anew. */
it('docs/state-machine.md is fresh', async () => {
  await expect(stateMachine()).toMatchFileSnapshot('../../docs/state-machine.md');
});

it('nothing leaves a settled status, and every one of them can be reached', () => {
  const moves = Object.values(executionTransitions);
  const left = new Set<string>(moves.flatMap(({ from }) => from));
  const reached = new Set<string>(moves.map(({ to }) => to));
  expect(settledStatuses.filter((status) => left.has(status))).toEqual([]);
  expect(settledStatuses.filter((status) => !reached.has(status))).toEqual([]);
});
