import type { Definition, NodeEntry } from '../../../src/contract/definition.ts';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';

/** How an execution of a test workflow is started: by its endpoint, or manually. */
export type TestWorkflow = {
  name: string;
  endpoint: string | null;
  /** 'ends': the caller gets the output; 'accepted': only the id. */
  answers: 'ends' | 'accepted';
  definition: Definition;
};

const retryPolicy: JsonObject = {
  maxAttempts: 6,
  initialDelay: '20ms',
  maxDelay: '100ms',
  retryConditions: ['network', 'server_error'],
};

function webhook(endpoint: string, respond: string): NodeEntry {
  return {
    id: 'start',
    type: 'trigger',
    config: { triggerType: 'webhook', endpoint, method: 'POST', authentication: 'none', respond },
  };
}

const manual: NodeEntry = { id: 'start', type: 'trigger', config: { triggerType: 'manual' } };

function http(id: string, upstream: string, kind: 'call' | 'flaky' | 'slow' | 'long' | 'hang'): NodeEntry {
  return {
    id,
    type: 'http_request',
    config: {
      method: 'POST',
      url: `${upstream}/${kind}/${id}`,
      body: { execution: '{{ execution.id }}' },
      retryPolicy,
    },
  };
}

/** `input` is a field of the input. */
function transform(id: string, input: string): NodeEntry {
  const operations: Json = [
    { action: 'map', input, output: 'was' },
    { action: 'map', input, output: 'execution', transform: '{{ execution.id }}' },
  ];
  return { id, type: 'data_transformer', config: { operations } };
}

const wait = (id: string, duration: string): NodeEntry => ({ id, type: 'delay', config: { duration } });

const chain = (...nodes: string[]): { from: string; to: string }[] =>
  nodes.slice(1).map((to, i) => ({ from: nodes[i]!, to }));

/** All ways to start, wait, fail and respond. Endpoints begin with `prefix`. */
export function testWorkflows(upstream: string, prefix = 'crash'): TestWorkflow[] {
  return [
    {
      name: 'responds from a respond node',
      endpoint: `${prefix}/respond`,
      answers: 'ends',
      definition: {
        nodes: [
          webhook(`${prefix}/respond`, 'respond'),
          transform('shape', 'method'),
          http('a_call', upstream, 'call'),
          { id: 'reply', type: 'respond', config: { body: { execution: '{{ input.body.execution }}' } } },
        ],
        connections: chain('start', 'shape', 'a_call', 'reply'),
      },
    },
    {
      name: 'ends in its first commit',
      endpoint: `${prefix}/quick`,
      answers: 'ends',
      definition: {
        nodes: [
          webhook(`${prefix}/quick`, 'respond'),
          transform('q_shape', 'method'),
          { id: 'reply', type: 'respond', config: { body: { execution: '{{ input.execution }}' } } },
        ],
        connections: chain('start', 'q_shape', 'reply'),
      },
    },
    {
      name: 'parallel calls that fail at first',
      endpoint: `${prefix}/parallel`,
      answers: 'accepted',
      definition: {
        nodes: [
          webhook(`${prefix}/parallel`, 'immediately'),
          {
            id: 'both',
            type: 'parallel',
            config: {
              branches: [
                { name: 'one', nodes: ['b_one', 'b_next'] },
                { name: 'two', nodes: ['b_shape', 'b_two'] },
              ],
            },
          },
          http('b_one', upstream, 'flaky'),
          http('b_next', upstream, 'call'),
          transform('b_shape', 'method'),
          http('b_two', upstream, 'flaky'),
          transform('b_end', 'one'),
        ],
        connections: chain('start', 'both', 'b_end'),
      },
    },
    {
      name: 'waits in between',
      endpoint: `${prefix}/delay`,
      answers: 'accepted',
      definition: {
        nodes: [
          webhook(`${prefix}/delay`, 'immediately'),
          wait('c_wait', '200ms'),
          http('c_call', upstream, 'call'),
          wait('c_again', '50ms'),
        ],
        connections: chain('start', 'c_wait', 'c_call', 'c_again'),
      },
    },
    {
      name: 'answers at its end',
      endpoint: `${prefix}/completion`,
      answers: 'ends',
      definition: {
        nodes: [
          webhook(`${prefix}/completion`, 'on_completion'),
          transform('shape', 'method'),
          http('d_call', upstream, 'slow'),
          transform('d_end', 'status'),
        ],
        connections: chain('start', 'shape', 'd_call', 'd_end'),
      },
    },
    {
      name: 'by hand',
      endpoint: null,
      answers: 'accepted',
      definition: {
        nodes: [manual, http('e_one', upstream, 'slow'), http('e_two', upstream, 'call')],
        connections: chain('start', 'e_one', 'e_two'),
      },
    },
    {
      name: 'to be stopped',
      endpoint: null,
      answers: 'accepted',
      definition: {
        nodes: [
          manual,
          http('s_one', upstream, 'slow'),
          http('s_two', upstream, 'slow'),
          wait('s_wait', '10m'),
          http('s_never', upstream, 'call'),
        ],
        connections: chain('start', 's_one', 's_two', 's_wait', 's_never'),
      },
    },
  ];
}

/** One call that never gets a response. */
export function createHangingWorkflow(upstream: string): TestWorkflow {
  return {
    name: 'hangs',
    endpoint: 'crash/hang',
    answers: 'accepted',
    definition: {
      nodes: [webhook('crash/hang', 'immediately'), http('h_call', upstream, 'hang')],
      connections: chain('start', 'h_call'),
    },
  };
}

/** One call that takes longer than a process runs between kills. */
export function createLongWorkflow(upstream: string): TestWorkflow {
  return {
    name: 'takes long',
    endpoint: 'crash/long',
    answers: 'accepted',
    definition: {
      nodes: [
        webhook('crash/long', 'immediately'),
        http('l_call', upstream, 'long'),
        transform('l_end', 'body'),
      ],
      connections: chain('start', 'l_call', 'l_end'),
    },
  };
}
