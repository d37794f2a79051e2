import { expect, it } from 'vitest';
import { settledStatuses } from './execution.ts';
import { formatStateMachine } from './state-machine.ts';
import { executionTransitions } from './transitions.ts';

/** `npx vitest run src/contract/state-machine.test.ts -u` regenerates the page. */
it('docs/state-machine.md is up to date; regenerate it with: npm test -- src/contract/state-machine.test.ts -u', async () => {
  await expect(formatStateMachine()).toMatchFileSnapshot('../../docs/state-machine.md');
});

it('no transition leaves a terminal status, and each terminal status is reachable', () => {
  const moves = Object.values(executionTransitions);
  const left = new Set<string>(moves.flatMap(({ from }) => from));
  const reached = new Set<string>(moves.map(({ to }) => to));
  expect(settledStatuses.filter((status) => left.has(status))).toEqual([]);
  expect(settledStatuses.filter((status) => !reached.has(status))).toEqual([]);
});
