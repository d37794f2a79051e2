import { expect, test } from 'vitest';
import { computeChoice, type DecisionPolicy } from './decisions.ts';

const choices = ['approved', 'rejected', 'later'].map((name) => ({ name, label: name }));
const [approved, rejected, later, none] = ['approved', 'rejected', 'later', null] as const;
type Case = { policy: DecisionPolicy; required: number; answers: (string | null)[]; choice: string | null };

const cases: Case[] = [
  { policy: 'anyone', required: 1, answers: [none, none], choice: none },
  { policy: 'anyone', required: 1, answers: [none, rejected], choice: rejected },
  { policy: 'anyone', required: 1, answers: [approved, none], choice: approved },
  { policy: 'everyone', required: 2, answers: [approved, none], choice: none },
  { policy: 'everyone', required: 2, answers: [approved, approved], choice: approved },
  { policy: 'everyone', required: 3, answers: [approved, rejected, none], choice: rejected },
  { policy: 'everyone', required: 3, answers: [none, later, none], choice: later },
  { policy: 'at_least', required: 2, answers: [approved, rejected, none], choice: none },
  { policy: 'at_least', required: 2, answers: [approved, rejected, approved], choice: approved },
  { policy: 'at_least', required: 2, answers: [later, rejected, none], choice: rejected },
  { policy: 'at_least', required: 2, answers: [later, later, approved, rejected, none], choice: none },
  { policy: 'at_least', required: 3, answers: [later, later, approved, rejected], choice: later },
];

test.each(cases)('$policy, $required required, answers $answers: $choice', (given) => {
  expect(computeChoice(given.policy, given.required, choices, given.answers)).toBe(given.choice);
});
