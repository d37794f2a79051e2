/** A workflow whose agent adds a turn to a thread. Its model is a node that always writes the same. */
export function createRememberingWorkflow(thread: string) {
  return {
    nodes: [
      { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
      { id: 'agent', type: 'agent', config: { prompt: 'Hello', model: ['say'], memory: { thread } } },
      { id: 'say', type: 'set', config: { fields: { text: 'Hello, too', usage: {} } } },
    ],
    connections: [{ from: 'start', to: 'agent' }],
  };
}
