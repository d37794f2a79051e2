import { createRememberingWorkflow } from '../../support/ai/remembering-workflow.ts';
import type { Call } from '../../support/service.ts';
import { createResource } from './preparations.ts';
import type { Case, Variables } from './case.ts';

const MISSING_THREAD = 'th_000000000000000000000000';

const remembered = async (call: Call): Promise<Variables> => {
  const definition = createRememberingWorkflow('ada');
  const workflow = await createResource(call, 'POST', '/workflows', { name: 'Remember', definition });
  await createResource(call, 'POST', `/workflows/${workflow}/execute`, { wait: '20s' });
  const { body } = await call('GET', `/threads?workflow_id=${workflow}`);
  return { id: (body as { threads: { id: string }[] }).threads[0]!.id };
};
const toParams = (id: string) => ({ params: { id } });
const byThread = (vars: Variables) => toParams(vars['id']!);

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
