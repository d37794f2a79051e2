import { expect, test } from 'vitest';
import { computeChoice, type DecisionPolicy } from './decisions.ts';

const choices = ['approved', 'rejected', 'later'].map((name) => ({ name, label: name }));
const [approved, rejected, later, none] = ['approved', 'rejected', 'later', null] as const;
type Case = { policy: DecisionPolicy; required: number; responses: (string | null)[]; choice: string | null };

const cases: Case[] = [
  { policy: 'anyone', required: 1, responses: [none, none], choice: none },
  { policy: 'anyone', required: 1, responses: [none, rejected], choice: rejected },
  { policy: 'anyone', required: 1, responses: [approved, none], choice: approved },
  { policy: 'everyone', required: 2, responses: [approved, none], choice: none },
  { policy: 'everyone', required: 2, responses: [approved, approved], choice: approved },
  { policy: 'everyone', required: 3, responses: [approved, rejected, none], choice: rejected },
  { policy: 'everyone', required: 3, responses: [none, later, none], choice: later },
  { policy: 'at_least', required: 2, responses: [approved, rejected, none], choice: none },
  { policy: 'at_least', required: 2, responses: [approved, rejected, approved], choice: approved },
  { policy: 'at_least', required: 2, responses: [later, rejected, none], choice: rejected },
  { policy: 'at_least', required: 2, responses: [later, later, approved, rejected, none], choice: none },
  { policy: 'at_least', required: 3, responses: [later, later, approved, rejected], choice: later },
];

test.each(cases)('$policy, $required required, responses $responses: $choice', (given) => {
  expect(computeChoice(given.policy, given.required, choices, given.responses)).toBe(given.choice);
});
