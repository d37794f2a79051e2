import { waitUntil, type Call } from '../support/service.ts';
import { createRememberingWorkflow } from '../support/ai/remembering-workflow.ts';
import { createVectorCollection } from '../support/ai/vector-collection.ts';
import { mapNode, manual } from '../api/definitions.ts';

/** The id of one resource of each type, by the first segment of its path. */
export type ResourceIds = Readonly<Record<string, string>>;

/** Well-formed ids that do not exist. */
export const missingIds: ResourceIds = {
  workflows: 'wf_00000000000000000000000000',
  executions: 'ex_00000000000000000000000000',
  users: 'usr_00000000000000000000000000',
  'api-keys': 'key_00000000000000000000000000',
  decisions: 'dec_00000000000000000000000000',
  threads: 'th_000000000000000000000000',
  'vector-collections': 'no_such_collection',
  files: 'file_00000000000000000000000000',
  nodes: 'no_such_node',
  secrets: 'NO_SUCH_SECRET',
  connections: 'NO_SUCH_CONNECTION',
  packs: 'no_such_pack',
  'connection-providers': 'no_such_provider',
  templates: 'no-such-template',
  oauth: 'client_00000000000000000000000000',
};

async function made(call: Call, path: string, body: object, name: string, method = 'POST'): Promise<string> {
  const response = await call(method, path, { body });
  if (response.status !== 200 && response.status !== 201)
    throw new Error(`${method} ${path}: ${response.text}`);
  return (response.body as Record<string, string>)[name]!;
}

/** A decision that an execution of the caller asks the caller for. */
async function askDecision(call: Call): Promise<string> {
  const definition = {
    nodes: [manual, { id: 'ask', type: 'approval', config: { title: 'theirs' } }],
    connections: [{ from: 'start', to: 'ask' }],
  };
  const workflow = await made(call, '/workflows', { name: 'asks', definition }, 'id');
  await made(call, `/workflows/${workflow}/execute`, {}, 'id');
  const { body } = await waitUntil(
    () => call('GET', '/decisions'),
    ({ text }) => text.includes('theirs'),
  );
  return (body as { decisions: { id: string }[] }).decisions[0]!.id;
}

/** A thread of a workflow of the caller. */
async function createThread(call: Call): Promise<string> {
  const definition = createRememberingWorkflow('theirs');
  const workflow = await made(call, '/workflows', { name: 'remembers', definition }, 'id');
  await made(call, `/workflows/${workflow}/execute`, { wait: '30s' }, 'id');
  const { body } = await call('GET', '/threads?search=theirs');
  return (body as { threads: { id: string }[] }).threads[0]!.id;
}

/** Creates one of each for the caller. */
export async function createResources(call: Call): Promise<ResourceIds> {
  const definition = {
    nodes: [manual, mapNode('copy', 'a', 'b')],
    connections: [{ from: 'start', to: 'copy' }],
  };
  const workflows = await made(call, '/workflows', { name: 'theirs', definition }, 'id');
  const client = { name: 'theirs', grant_types: ['client_credentials'], scopes: ['workflows:read'] };
  return {
    workflows,
    executions: await made(call, `/workflows/${workflows}/execute`, { input: { a: 1 }, wait: '30s' }, 'id'),
    'api-keys': await made(call, '/api-keys', { name: 'theirs' }, 'id'),
    secrets: await made(call, '/secrets/THEIRS', { value: 'a value' }, 'name', 'PUT'),
    connections: await made(
      call,
      '/connections',
      { name: 'THEIRS', provider: 'github', client_id: 'app', client_secret: 'hidden' },
      'name',
    ),
    templates: await made(
      call,
      '/templates',
      { templateName: 'theirs', workflow: { name: 'theirs', definition } },
      'templateName',
    ),
    oauth: await made(call, '/oauth/clients', client, 'client_id'),
    files: missingIds['files']!,
    nodes: 'trigger',
    packs: missingIds['packs']!,
    decisions: await askDecision(call),
    threads: await createThread(call),
    'vector-collections': await createVectorCollection(call, 'theirs'),
    'connection-providers': 'github',
  };
}
