import { modelProviders } from '../../src/contract/ai/models.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';

const createCaller = (provider: string, type: string, more: JsonObject) => ({
  what: `${type} of ${provider}`,
  type,
  config: (to: string) => ({
    provider,
    baseUrl: `http://${to}/v1`,
    model: 'x',
    credentials: 'key-17',
    ...more,
  }),
  isHttp: true,
});

/** The calls of models, by type of node: each protocol, and each type. */
export const modelCallers = [
  ...modelProviders.map((provider) => createCaller(provider, 'llm', { prompt: 'x' })),
  createCaller('openai', 'extract', { text: 'x', schema: {} }),
  createCaller('anthropic', 'classify', { text: 'x', categories: [{ name: 'a' }] }),
  createCaller('google', 'summarise', { text: 'x' }),
  createCaller('openai', 'embed', { texts: 'x' }),
];
