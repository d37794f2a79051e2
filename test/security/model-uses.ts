import { use, type SecretUse } from './server-secrets.ts';

/** Whether a path is one of an OpenAI-compatible API that the nodes call. */
export const isModelPath = (path: string): boolean => /\/(?:chat\/completions|embeddings)$/.test(path);

/** A response that is valid for each of these paths. */
export const modelResponse = {
  model: 'x',
  choices: [{ message: { role: 'assistant', content: '{"category":"a"}' }, finish_reason: 'stop' }],
  data: [{ index: 0, embedding: [1] }],
  usage: { prompt_tokens: 1, completion_tokens: 1 },
};

/** The uses of a secret by the nodes that call models: as the API key, at each target, and in the address. */
export const listAllModelUses = (targets: readonly string[]): Record<string, SecretUse[]> => ({
  llm: listModelUses(targets, { prompt: 'x' }),
  extract: listModelUses(targets, { text: 'x', schema: {} }),
  classify: listModelUses(targets, { text: 'x', categories: [{ name: 'a' }] }),
  summarise: listModelUses(targets, { text: 'x' }),
  embed: listModelUses(targets, { texts: 'x' }),
});

function listModelUses(targets: readonly string[], more: object): SecretUse[] {
  const model = { provider: 'openai_compatible', model: 'x' };
  return [
    ...targets.flatMap((url) => [
      use((credentials) => ({ ...model, baseUrl: `${url}/v1`, credentials, ...more })),
      use((credentials) => ({
        ...model,
        provider: 'google',
        baseUrl: url,
        credentials,
        ...more,
      })),
    ]),
    use((baseUrl) => ({ ...model, baseUrl, ...more })),
  ];
}
