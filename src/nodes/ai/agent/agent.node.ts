import { Type } from 'typebox';
import { defineNode } from '../../define-node.ts';
import { costField, usageField } from '../result-fields.ts';
import type { Json } from '../../../lib/json/json.ts';
import { memoryTemplates, readMemory, type LoadedMemory } from '../memory.ts';
import { AgentConfig, listRegions, validateAgent } from './agent-config.ts';
import { AgentControl } from './agent-control.ts';
import { dependsOnRun } from './run-keys.ts';

export const agent = defineNode({
  type: 'agent',
  version: '1.0.0',
  name: 'AI agent',
  category: 'ai',
  description:
    'Lets a language model work on a task with tools, until it responds without calling one. Each turn of the model and each tool call is a node run of its own: after a crash, the agent continues at the call in which it stopped. The model is a node llm, and a tool is a list of nodes. Arguments that do not fit, and tools that fail, are results for the model. Calls that need an approval wait for people without occupying memory. When a limit is reached, the agent continues through the port limit, or fails if it is not connected.',
  icon: 'bot',
  keywords: [
    'ai',
    'agent',
    'assistant',
    'tools',
    'function calling',
    'tool calling',
    'autonomous',
    'chatbot',
    'react',
    'llm',
    'copilot',
  ],
  config: AgentConfig,
  templates: {
    model: 'literal',
    tools: 'literal',
    approval: 'literal',
    schema: 'literal',
    maxRepairs: 'literal',
    maxDuration: 'literal',
    ...memoryTemplates,
  },
  output: Type.Object({
    text: Type.String(),
    output: Type.Unknown(),
    finish_reason: Type.String({ examples: ['stop'] }),
    turns: Type.Integer(),
    tool_calls: Type.Integer(),
    failed_tool_calls: Type.Integer(),
    usage: usageField,
    cost: costField,
    model: Type.String(),
  }),
  outputs: [
    {
      name: 'out',
      type: 'object',
      description: 'The response: {text, output, turns, tool_calls, failed_tool_calls, usage, cost, model}',
    },
    {
      name: 'limit',
      type: 'object',
      description: 'The name of the limit that was reached, with what was done so far and all messages',
    },
  ],
  effects: 'none',
  regions: listRegions,
  check: validateAgent,
  dependence: () => dependsOnRun,
  loads: (config) => config['memory'] !== undefined,
  async run(ctx, { memory }) {
    if (memory === undefined) return { kind: 'begin', value: null };
    const loaded = await readMemory(ctx, memory);
    return 'kind' in loaded ? loaded : { kind: 'begin', value: loaded as unknown as Json };
  },
  control: (config, input, node, loaded) =>
    new AgentControl(config, input, node, loaded as unknown as LoadedMemory | null),
  examples: [
    {
      title: 'Search orders, and refund only what a person approves',
      config: {
        instructions: 'You are a support agent of a shop.',
        prompt: '{{ input.message }}',
        model: ['chat'],
        tools: [
          {
            name: 'find_order',
            description: 'Finds an order by its number.',
            parameters: {
              type: 'object',
              required: ['number'],
              properties: { number: { type: 'string' } },
            },
            nodes: ['find'],
          },
          {
            name: 'refund',
            description: 'Refunds an order.',
            parameters: {
              type: 'object',
              required: ['number', 'amount'],
              properties: { number: { type: 'string' }, amount: { type: 'number' } },
            },
            nodes: ['pay_back'],
            approval: { when: { field: 'amount', operator: 'greater_than', value: 20 } },
          },
        ],
        approval: ['ask'],
        maxTurns: 10,
      },
      input: { message: 'Order A-17 arrived broken' },
      outputs: {
        out: {
          text: 'I refunded 15 EUR.',
          finish_reason: 'stop',
          turns: 3,
          tool_calls: 2,
          failed_tool_calls: 0,
          usage: { input_tokens: 900, cached_input_tokens: 0, output_tokens: 80, reasoning_tokens: 0 },
          cost: null,
          model: 'gpt-5-mini',
        },
      },
    },
  ],
});
