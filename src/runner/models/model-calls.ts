import type { JSONSchema7, LanguageModelV4CallOptions, ProviderV4 } from '@ai-sdk/provider';
import { WeftError } from '../../contract/errors.ts';
import { HttpFailure } from '../../contract/node-type.ts';
import type {
  EmbeddingCall,
  EmbeddingResponse,
  ModelCall,
  ModelResponse,
  ModelServer,
} from '../../contract/ai/models.ts';
import { truncateText } from '../../lib/text/truncate.ts';
import { httpFailure } from '../http/http-failure.ts';
import { createCompatibleFetch } from './compatible-fetch.ts';
import { readResponse } from './response.ts';
import { collectResponse } from './response-stream.ts';
import type { ModelChannel } from './model-channel.ts';
import { createModelFetch, findBaseUrl } from './model-fetch.ts';
import { createPrompt } from './prompt.ts';

/*
 * Calls with the providers' libraries. This module and those that it imports are loaded with the first call.
 */

const MAX_MESSAGE_LENGTH = 2_000;

/** The libraries require a key. `createModelFetch` replaces it. */
const NO_KEY = 'unused';

/** Calls a model once. @throws {HttpFailure} */
export async function requestResponse(
  channel: ModelChannel,
  server: ModelServer,
  call: ModelCall,
): Promise<Omit<ModelResponse, 'cost'>> {
  try {
    const provider = await createProvider(channel, server);
    const model = provider.languageModel(server.model);
    const options = await createOptions(channel, call);
    const result =
      call.onPiece === undefined
        ? await model.doGenerate(options)
        : await collectResponse(await model.doStream(options), call.onPiece);
    return readResponse(result, server.model);
  } catch (error) {
    throw toFailure(server, error);
  }
}

/** Computes embeddings, in as many calls as the provider needs. @throws {HttpFailure} */
export async function requestEmbeddings(
  channel: ModelChannel,
  server: ModelServer,
  { texts, dimensions, idempotencyKey }: EmbeddingCall,
  meter: { before(): Promise<void>; after(inputTokens: number): void },
): Promise<EmbeddingResponse['embeddings']> {
  try {
    const model = (await createProvider(channel, server)).embeddingModel(server.model);
    const perCall = Math.min((await model.maxEmbeddingsPerCall) ?? texts.length, texts.length);
    const found: (readonly number[])[] = [];
    for (let call = 0; found.length < texts.length; call++) {
      const values = texts.slice(found.length, found.length + perCall);
      await meter.before();
      const { embeddings, usage } = await model.doEmbed({
        values,
        headers: { 'idempotency-key': call === 0 ? idempotencyKey : `${idempotencyKey}.${call}` },
        abortSignal: channel.signal,
        ...(dimensions === null ? {} : { providerOptions: createDimensions(dimensions) }),
      });
      meter.after(usage?.tokens ?? 0);
      if (embeddings.length !== values.length)
        throw new Error(`it returned ${embeddings.length} embeddings for ${values.length} texts`);
      for (const embedding of embeddings) found.push(embedding);
    }
    return found;
  } catch (error) {
    throw toFailure(server, error);
  }
}

/** Each library reads the options under its own name. */
const createDimensions = (dimensions: number) => ({
  openai: { dimensions },
  openaiCompatible: { dimensions },
  google: { outputDimensionality: dimensions },
});

async function createProvider(channel: ModelChannel, server: ModelServer): Promise<ProviderV4> {
  const { provider } = server;
  const fetch = createModelFetch(channel, server);
  if (provider === 'openai_compatible') {
    const compatible = await import('@ai-sdk/openai-compatible');
    return compatible.createOpenAICompatible({
      name: provider,
      baseURL: findBaseUrl(server),
      supportsStructuredOutputs: true,
      includeUsage: true,
      fetch: createCompatibleFetch(fetch),
    });
  }
  const settings = { apiKey: NO_KEY, baseURL: findBaseUrl(server), fetch };
  if (provider === 'openai') return (await import('@ai-sdk/openai')).createOpenAI(settings);
  if (provider === 'anthropic') return (await import('@ai-sdk/anthropic')).createAnthropic(settings);
  return (await import('@ai-sdk/google')).createGoogleGenerativeAI(settings);
}

async function createOptions(channel: ModelChannel, call: ModelCall): Promise<LanguageModelV4CallOptions> {
  const { tools, schema, settings, idempotencyKey } = call;
  const { temperature, topP, maxOutputTokens, stop, reasoning } = settings;
  return {
    prompt: await createPrompt(call),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            type: 'function' as const,
            name,
            description,
            inputSchema: parameters as JSONSchema7,
          })),
        }),
    ...(schema === null
      ? {}
      : { responseFormat: { type: 'json' as const, schema: schema as JSONSchema7, name: 'response' } }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(stop === undefined ? {} : { stopSequences: [...stop] }),
    ...(reasoning === undefined ? {} : { reasoning }),
    headers: { 'idempotency-key': idempotencyKey },
    abortSignal: channel.signal,
    providerOptions: {
      // The journal has the whole conversation, so that nothing depends on what the provider keeps. Schemas
      // need not be of the strict kind, because responses are validated here.
      openai: { store: false, strictJsonSchema: false },
    },
  };
}

/** Converts an error of a library, which did not understand the response, to a typed failure. */
function toFailure({ provider, model }: ModelServer, error: unknown): Error {
  if (error instanceof HttpFailure || error instanceof WeftError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return httpFailure(
    'server_error',
    `${model} did not respond as a model of ${provider}: ${truncateText(message, MAX_MESSAGE_LENGTH)}`,
  );
}
