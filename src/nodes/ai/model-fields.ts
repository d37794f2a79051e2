import { Type, type Static } from 'typebox';
import type { FieldError } from '../../contract/errors.ts';
import {
  modelProviders,
  type ModelCall,
  type ModelProvider,
  type ModelServer,
} from '../../contract/ai/models.ts';
import type { NodeContext, TemplateMode } from '../../contract/node-type.ts';
import type { SecretFields } from '../../contract/secret-fields.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { parseDuration } from '../../lib/time/duration.ts';
import { connectionField, credentialsField, validateCredentials } from '../connectors/credentials.ts';
import { createCredentials } from '../http/authentication.ts';
import { closed, oneOfTexts } from '../schema.ts';
import { isTemplated } from '../template-mode.ts';
import { ui } from '../ui-hints.ts';

/** Time limit of a call: a model that reasons can take minutes. */
export const MODEL_TIMEOUT_MS = 300_000;
const MAX_PROMPT_LENGTH = 1_048_576;

/** The field of a text that is sent to a model. */
export function promptField(notes: Record<string, unknown>) {
  return Type.String({ minLength: 1, maxLength: MAX_PROMPT_LENGTH, ...notes });
}

const PROVIDER_LABELS: Readonly<Record<ModelProvider, string>> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  google: 'Google Gemini',
  openai_compatible: 'OpenAI-compatible API',
};

/** The provider of a model. `calls`: what an OpenAI-compatible API must offer. */
export function providerField<P extends ModelProvider>(providers: readonly P[], calls: string) {
  return oneOfTexts(providers, {
    title: 'Provider',
    ...ui({
      order: 1,
      hint: '',
      labels: Object.fromEntries(providers.map((provider) => [provider, PROVIDER_LABELS[provider]])),
    }),
    description: `The protocol of the model. openai_compatible calls ${calls} at baseUrl: Ollama, vLLM, a gateway.`,
  });
}

/** A JSON Schema of the response. `response`: which one it is. */
export function outputSchemaField(response: string) {
  return Type.Optional(
    Type.Unsafe<JsonObject>({
      type: 'object',
      title: 'Structured output',
      ...ui({ control: 'json_schema', hint: '', advanced: true }),
      description: `A JSON Schema that the ${response} must match. The value is then in \`output\`. Templates are not evaluated in it.`,
    }),
  );
}

/** The hints of the field `model`: the form offers the models that the provider lists. */
export function modelHints(placeholder: string) {
  return ui({ order: 3, hint: '', placeholder, loads: ['provider', 'baseUrl', 'credentials', 'connection'] });
}

/** The fields that select the model and its settings. */
export const modelFields = {
  provider: providerField(modelProviders, 'chat completions'),
  baseUrl: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2_000,
      title: 'Base URL',
      ...ui({ order: 2, hint: '', placeholder: 'http://127.0.0.1:11434/v1' }),
      description:
        "The URL to which the provider's paths are added, such as http://127.0.0.1:11434/v1. Required for openai_compatible. Default: the provider's own address.",
    }),
  ),
  model: Type.String({
    minLength: 1,
    maxLength: 200,
    title: 'Model',
    ...modelHints('gpt-5-mini'),
    description: 'The name of the model at the provider.',
  }),
  credentials: Type.Optional(
    credentialsField('The API key of the provider', { control: 'account', order: 4 }),
  ),
  connection: connectionField('The name of a connection, instead of credentials.'),
  temperature: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 2,
      title: 'Temperature',
      ...ui({ advanced: true }),
      description: 'How much the responses vary, from 0. Some models do not accept it.',
    }),
  ),
  maxOutputTokens: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 10_000_000,
      title: 'Maximum tokens of a response',
      ...ui({ advanced: true }),
      description: 'The maximum number of tokens that the model may write in one call.',
    }),
  ),
  reasoning: Type.Optional(
    oneOfTexts(['none', 'minimal', 'low', 'medium', 'high'], {
      title: 'Reasoning',
      ...ui({ advanced: true }),
      description: 'How long a reasoning model thinks. Default: as the provider decides.',
    }),
  ),
};
const modelConfig = closed(modelFields);
export type ModelConfig = Static<typeof modelConfig> & { timeout?: string };

export const modelTemplates: Record<string, TemplateMode> = {
  provider: 'literal',
  baseUrl: 'url',
  connection: 'literal',
  reasoning: 'literal',
};

export const modelSecrets: SecretFields = { credentials: 'request' };

export function validateModel(config: JsonObject): FieldError[] {
  const { provider, baseUrl, credentials, connection } = config;
  const errors: FieldError[] = [];
  if (provider === 'openai_compatible' && baseUrl === undefined)
    errors.push({ field: 'baseUrl', issue: 'is required for openai_compatible' });
  if (typeof baseUrl === 'string' && !isTemplated(baseUrl) && !isHttpUrl(baseUrl))
    errors.push({ field: 'baseUrl', issue: URL_ISSUE });
  if (credentials !== undefined && connection !== undefined)
    errors.push({ field: 'connection', issue: 'must not be set with credentials' });
  if (credentials !== undefined) errors.push(...validateCredentials(config));
  if (credentials === undefined && connection === undefined && provider !== 'openai_compatible')
    errors.push({ field: 'credentials', issue: 'is required unless connection is set' });
  return errors;
}

export const URL_ISSUE = 'must be an http or https URL';

export function isHttpUrl(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '');
}

/** The header in which each provider expects an API key. */
const KEY_HEADERS: Readonly<Record<ModelProvider, (key: string) => Record<string, string>>> = {
  openai: (key) => ({ authorization: `Bearer ${key}` }),
  openai_compatible: (key) => ({ authorization: `Bearer ${key}` }),
  anthropic: (key) => ({ 'x-api-key': key }),
  google: (key) => ({ 'x-goog-api-key': key }),
};

/** The model of a configuration whose `baseUrl` is a valid URL. */
export function createModelServer(ctx: NodeContext, config: ModelConfig): ModelServer {
  const { provider, model, baseUrl, credentials, connection, timeout } = config;
  const headers = credentials === undefined ? {} : KEY_HEADERS[provider](credentials.trim());
  return {
    provider,
    model,
    baseUrl: baseUrl === undefined ? null : baseUrl.replace(/\/+$/, ''),
    credentials:
      connection === undefined
        ? { proof: () => ({ headers, query: {} }), renew: () => Promise.resolve(false) }
        : createCredentials(ctx, { type: 'connection', connection }),
    timeout: (timeout === undefined ? null : parseDuration(timeout)) ?? MODEL_TIMEOUT_MS,
  };
}

export function readSettings(config: ModelConfig): ModelCall['settings'] {
  const { temperature, maxOutputTokens, reasoning } = config;
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(reasoning === undefined ? {} : { reasoning }),
  };
}
