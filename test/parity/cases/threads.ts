import { createRememberingWorkflow } from '../../support/ai/remembering-workflow.ts';
import type { Call } from '../../support/service.ts';
import { made } from './preparations.ts';
import type { Case, Vars } from './case.ts';

const MISSING_THREAD = 'th_000000000000000000000000';

const remembered = async (call: Call): Promise<Vars> => {
  const definition = createRememberingWorkflow('ada');
  const workflow = await made(call, 'POST', '/workflows', { name: 'Remember', definition });
  await made(call, 'POST', `/workflows/${workflow}/execute`, { wait: '20s' });
  const { body } = await call('GET', `/threads?workflow_id=${workflow}`);
  return { id: (body as { threads: { id: string }[] }).threads[0]!.id };
};
const toParams = (id: string) => ({ params: { id } });
const byThread = (vars: Vars) => toParams(vars['id']!);

export const threadCases: readonly Case[] = [
  { operation: 'listThreads', title: 'none', say: () => ({ query: { search: 'No such key' } }) },
  {
    operation: 'listThreads',
    title: 'a page',
    say: () => ({ query: { namespace: 'x', limit: 1, page: 2 } }),
  },
  { operation: 'listThreads', title: 'an empty search', say: () => ({ query: { search: '' } }) },
  { operation: 'getThread', title: 'one with a turn', prepare: remembered, say: byThread },
  { operation: 'getThread', title: 'a missing one', say: () => toParams(MISSING_THREAD) },
  { operation: 'deleteThread', title: 'one with a turn', prepare: remembered, say: byThread },
  { operation: 'deleteThread', title: 'a missing one', say: () => toParams(MISSING_THREAD) },
];
