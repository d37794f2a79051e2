import { waitUntil, type Call } from '../../support/service.ts';
import { manual } from '../../api/definitions.ts';
import { createResource } from './preparations.ts';
import type { Case, Variables } from './case.ts';

const MISSING_DECISION = 'dec_00000000000000000000000000';
const question = {
  nodes: [manual, { id: 'ask', type: 'approval', config: { title: 'Expense', message: 'A chair' } }],
  connections: [{ from: 'start', to: 'ask' }],
};

/** An open decision that the caller is createOpenDecision for. */
const createOpenDecision = async (call: Call): Promise<Variables> => {
  const workflow = await createResource(call, 'POST', '/workflows', { name: 'Ask', definition: question });
  const execution = await createResource(call, 'POST', `/workflows/${workflow}/execute`, {});
  const { body } = await waitUntil(
    () => call('GET', '/decisions?status=open&limit=100'),
    ({ text }) => text.includes(execution),
  );
  const { decisions } = body as { decisions: { id: string; execution_id: string }[] };
  return { id: decisions.find((one) => one.execution_id === execution)!.id };
};
const createDecidedDecision = async (call: Call): Promise<Variables> => {
  const vars = await createOpenDecision(call);
  await createResource(call, 'POST', `/decisions/${vars['id']}/respond`, { choice: 'approved' });
  return vars;
};
const toParams = (id: string) => ({ params: { id } });
const byDecision = (vars: Variables) => toParams(vars['id']!);

export const decisionCases: readonly Case[] = [
  { operation: 'listDecisions', title: 'none', say: () => ({ query: { search: 'No such title' } }) },
  {
    operation: 'listDecisions',
    title: 'a page',
    say: () => ({ query: { view: 'owned', limit: 1, page: 2 } }),
  },
  { operation: 'listDecisions', title: 'an unknown view', say: () => ({ query: { view: 'all' } }) },
  { operation: 'listDecisions', title: 'an unknown status', say: () => ({ query: { status: 'decided' } }) },
  { operation: 'getDecision', title: 'an open decision', prepare: createOpenDecision, say: byDecision },
  { operation: 'getDecision', title: 'a missing decision', say: () => toParams(MISSING_DECISION) },
  {
    operation: 'respondToDecision',
    title: 'an open decision',
    prepare: createOpenDecision,
    say: (vars) => ({ ...byDecision(vars), body: { choice: 'rejected', comment: 'No' } }),
  },
  {
    operation: 'respondToDecision',
    title: 'an unknown choice',
    prepare: createOpenDecision,
    say: (vars) => ({ ...byDecision(vars), body: { choice: 'maybe' } }),
  },
  {
    operation: 'respondToDecision',
    title: 'a decided decision',
    prepare: createDecidedDecision,
    say: (vars) => ({ ...byDecision(vars), body: { choice: 'rejected' } }),
  },
  {
    operation: 'respondToDecision',
    title: 'a missing decision',
    say: () => ({ ...toParams(MISSING_DECISION), body: { choice: 'approved' } }),
  },
];
