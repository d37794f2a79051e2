import type { ModelServer } from './model-server.ts';

/** A workflow with a chat page. Its agent remembers the conversation, and asks before it pays. */
export function createChatPageWorkflow(models: ModelServer, name: string, page: object) {
  const model = { provider: 'openai_compatible', baseUrl: models.url, model: 'test', stream: true };
  return {
    name: `Chat ${name}`,
    status: 'active',
    definition: {
      nodes: [
        { id: 'start', type: 'trigger', config: { triggerType: 'chat', name, page } },
        {
          id: 'agent',
          type: 'agent',
          config: {
            model: ['chat'],
            memory: { thread: '{{ trigger.conversation }}' },
            tools: [
              {
                name: 'pay',
                description: 'Pays an amount.',
                parameters: { type: 'object', properties: { amount: { type: 'number' } } },
                nodes: ['paying'],
                approval: { required: true },
              },
            ],
            approval: ['ask'],
          },
        },
        { id: 'chat', type: 'llm', config: model },
        {
          id: 'paying',
          type: 'http_request',
          config: { method: 'POST', url: models.toolUrl('pay'), body: {} },
        },
        { id: 'ask', type: 'approval', config: { title: 'Pay {{ item.amount }}?' } },
      ],
      connections: [{ from: 'start', to: 'agent' }],
    },
  };
}
