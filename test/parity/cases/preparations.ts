import type { Call } from '../../support/service.ts';
import { greeting, manual } from '../../api/definitions.ts';
import type { CallInput } from '../clients.ts';
import type { Variables } from './case.ts';

export const MISSING = {
  workflow: 'wf_00000000000000000000000000',
  execution: 'ex_00000000000000000000000000',
  user: 'usr_00000000000000000000000000',
  key: 'key_00000000000000000000000000',
};

export async function createResource(
  call: Call,
  method: string,
  path: string,
  body: unknown,
  name = 'id',
): Promise<string> {
  const response = await call(method, path, { body });
  if (response.status >= 300) throw new Error(`${method} ${path}: ${response.text}`);
  return (response.body as Record<string, string>)[name] ?? '';
}

export const prepareWorkflow =
  (definition: object = greeting, more: object = {}) =>
  async (call: Call): Promise<Variables> => ({
    id: await createResource(call, 'POST', '/workflows', { name: 'A workflow', definition, ...more }),
  });
export const prepareExecution =
  (definition: object = greeting, input: object = { name: 'Ada' }) =>
  async (call: Call): Promise<Variables> => {
    const { id } = await prepareWorkflow(definition)(call);
    return {
      workflow: id!,
      id: await createResource(call, 'POST', `/workflows/${id}/execute`, { input, wait: '10s' }),
    };
  };
export const inputById = (vars: Variables): CallInput => ({ params: { id: vars['id']! } });
export const template = {
  templateName: 'greet',
  parameters: [{ name: 'who', type: 'string', required: true }],
  workflow: { name: 'Greet {{ parameters.who }}', definition: greeting },
};
export const failing = {
  nodes: [manual, { id: 'no', type: 'stop', config: { outcome: 'failed', message: 'no' } }],
  connections: [{ from: 'start', to: 'no' }],
};
export const custom = {
  nodeType: 'doubler',
  description: 'Doubles',
  inputs: { n: { type: 'number', required: true } },
  outputs: { doubled: 'number' },
  implementation: {
    runtime: 'javascript',
    handler: 'export default (inputs) => ({ doubled: inputs.n * 2 })',
    dependencies: {},
  },
};
export const createWebhookDefinition = (endpoint: string) => ({
  nodes: [
    {
      id: 'hook',
      type: 'trigger',
      config: { triggerType: 'webhook', endpoint, method: 'POST', authentication: 'none' },
    },
  ],
  connections: [],
});

/** Rows that only look up something by its id, and what a missing one is. */
