/** Definitions that several tests use. */
export const manual = { id: 'start', type: 'trigger', config: { triggerType: 'manual' } };

export function mapNode(id: string, input: string, output: string, transform?: string) {
  const operation = { action: 'map', input, output, ...(transform === undefined ? {} : { transform }) };
  return { id, type: 'data_transformer', config: { operations: [operation] } };
}

/** `start` → `greet`: {name} becomes {text}. */
export const greeting = {
  nodes: [manual, mapNode('greet', 'name', 'text', 'Dear {{ value }}')],
  connections: [{ from: 'start', to: 'greet' }],
};

/** `start` → `wait`: takes an hour. */
export const longWait = {
  nodes: [manual, { id: 'wait', type: 'delay', config: { duration: '1h' } }],
  connections: [{ from: 'start', to: 'wait' }],
};

/** `start` → `call` → `after`. */
export function createCallingWorkflow(url: string, config: object = {}) {
  return {
    nodes: [
      manual,
      { id: 'call', type: 'http_request', config: { method: 'POST', url, body: '{{ input }}', ...config } },
      mapNode('after', 'body', 'answer'),
    ],
    connections: [
      { from: 'start', to: 'call' },
      { from: 'call', to: 'after' },
    ],
  };
}

/** A webhook that responds with its input. */
export function createEchoWorkflow(endpoint: string, config: object = {}) {
  return {
    nodes: [
      {
        id: 'hook',
        type: 'trigger',
        config: {
          triggerType: 'webhook',
          endpoint,
          authentication: 'none',
          respond: 'on_completion',
          ...config,
        },
      },
      mapNode('all', 'body', 'body'),
    ],
    connections: [{ from: 'hook', to: 'all' }],
  };
}
