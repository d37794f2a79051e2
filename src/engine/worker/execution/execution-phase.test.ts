import { expect, test } from 'vitest';
import { ExecutionPhase, PHASE_TRANSITIONS, type Phase } from './execution-phase.ts';

const phases = Object.keys(PHASE_TRANSITIONS) as Phase[];

/** A phase that was reached by legal transitions only, and what it reported since. */
function reach(target: Phase): { phase: ExecutionPhase; reports: string[] } {
  const paths: Phase[][] = [['created']];
  for (const path of paths) {
    const last = path.at(-1)!;
    if (last === target) {
      const reports: string[] = [];
      const phase = new ExecutionPhase((error) => reports.push(error.message));
      for (const next of path.slice(1)) expect(phase.moveTo(next)).toBe(true);
      return { phase, reports };
    }
    for (const next of PHASE_TRANSITIONS[last]) if (!path.includes(next)) paths.push([...path, next]);
  }
  throw new Error(`${target} cannot be reached`);
}

test.each(phases)('from %s only the documented transitions are possible', (from) => {
  for (const to of phases) {
    const { phase, reports } = reach(from);
    const isLegal = PHASE_TRANSITIONS[from].includes(to);
    expect(phase.moveTo(to)).toBe(isLegal);
    expect(phase.current).toBe(isLegal ? to : from);
    expect(reports).toEqual(isLegal ? [] : [`An execution cannot move from ${from} to ${to}.`]);
  }
});

test('every phase except advancing can leave memory at once, and none can return', () => {
  for (const phase of phases)
    expect([phase, PHASE_TRANSITIONS[phase].includes('evicted')]).toEqual([
      phase,
      phase !== 'advancing' && phase !== 'evicted',
    ]);
  expect(PHASE_TRANSITIONS.evicted).toEqual([]);
});
