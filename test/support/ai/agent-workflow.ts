import type { ModelServer } from './model-server.ts';

type Tool = {
  readonly name: string;
  readonly parameters?: object;
  readonly approval?: object;
};

/** A workflow with an agent whose tools are HTTP requests to the model server. */
export function createAgentWorkflow(
  models: ModelServer,
  {
    tools,
    agent = {},
    llm = {},
    approval,
    limitTo = null,
  }: {
    tools: readonly Tool[];
    agent?: object;
    llm?: object;
    /** The configuration of the node `ask`. */
    approval?: object;
    /** The field that the node behind the port `limit` sets; null: the port is not connected. */
    limitTo?: string | null;
  },
) {
  return {
    nodes: [
      { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
      {
        id: 'agent',
        type: 'agent',
        config: {
          prompt: '{{ input.message }}',
          model: ['chat'],
          tools: tools.map(({ name, parameters, approval: when }) => ({
            name,
            description: `The tool ${name}.`,
            ...(parameters === undefined ? {} : { parameters }),
            nodes: [name],
            ...(when === undefined ? {} : { approval: when }),
          })),
          ...(approval === undefined ? {} : { approval: ['ask'] }),
          ...agent,
        },
      },
      {
        id: 'chat',
        type: 'llm',
        config: { provider: 'openai_compatible', baseUrl: models.url, model: 'test', ...llm },
      },
      ...tools.map(({ name }) => ({
        id: name,
        type: 'http_request',
        config: { method: 'POST', url: models.toolUrl(name), body: '{{ input }}' },
      })),
      ...(approval === undefined ? [] : [{ id: 'ask', type: 'approval', config: approval }]),
      ...(limitTo === null
        ? []
        : [
            {
              id: 'limited',
              type: 'set',
              config: { fields: { [limitTo]: '{{ input.limit }}', messages: '{{ input.messages }}' } },
            },
          ]),
    ],
    connections: [
      { from: 'start', to: 'agent' },
      ...(limitTo === null ? [] : [{ from: 'agent', sourcePort: 'limit', to: 'limited' }]),
    ],
  };
}
