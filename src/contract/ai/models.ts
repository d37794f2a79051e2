import type { FileReference } from '../byte-source.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import type { McpServer } from './mcp.ts';

/**
 * The protocols of model providers. `openai_compatible` is OpenAI's chat completions at any address: Ollama,
 * vLLM, a gateway.
 */
export const modelProviders = ['openai', 'anthropic', 'google', 'openai_compatible'] as const;
export type ModelProvider = (typeof modelProviders)[number];

/** A model of a provider. `baseUrl` null: the provider's own address. */
export type ModelServer = Pick<McpServer, 'credentials' | 'proxy' | 'timeout'> & {
  readonly provider: ModelProvider;
  readonly model: string;
  readonly baseUrl: string | null;
};

/** What a provider attached to a part, such as a signature. It is returned to the provider unchanged. */
type ProviderMetadata = { readonly metadata?: JsonObject };

export type TextPart = { readonly type: 'text'; readonly text: string } & ProviderMetadata;
export type ReasoningPart = { readonly type: 'reasoning'; readonly text: string } & ProviderMetadata;
/** `arguments` is a string when the model did not write valid JSON. */
export type ToolCallPart = {
  readonly type: 'tool_call';
  readonly id: string;
  readonly name: string;
  readonly arguments: Json;
} & ProviderMetadata;
export type ToolResultPart = {
  readonly type: 'tool_result';
  readonly id: string;
  readonly name: string;
  readonly result: Json;
  readonly is_error?: true;
};
/** A part that only its provider can read. */
export type CustomPart = { readonly type: 'custom'; readonly kind: string } & ProviderMetadata;
export type FilePart = { readonly type: 'file' } & { readonly file: FileReference };
export type ResponsePart = TextPart | ReasoningPart | ToolCallPart | CustomPart;

/** A message of a conversation, as it is stored in the journal. */
export type ModelMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string | readonly (TextPart | FilePart)[] }
  | { readonly role: 'assistant'; readonly content: string | readonly ResponsePart[] }
  | { readonly role: 'tool'; readonly content: readonly ToolResultPart[] };

/** A tool that a model may call. `parameters` is a JSON Schema of an object. */
export type ModelTool = {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
};

/** A file of a message, read into memory. */
export type LoadedFile = {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
};

/** A part of a model's response that is written piece by piece. */
export type LivePart =
  | { readonly kind: 'text' }
  | { readonly kind: 'reasoning' }
  /** The JSON of the arguments of a tool call. */
  | { readonly kind: 'tool_arguments'; readonly callId: string; readonly tool: string };

/** Separates the parts of the reasoning of a response. */
export const REASONING_SEPARATOR = '\n\n';

/** One call of a model. */
export type ModelCall = {
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  /** The JSON Schema of the response; null: text. */
  readonly schema: JsonObject | null;
  readonly settings: {
    readonly temperature?: number;
    readonly topP?: number;
    readonly maxOutputTokens?: number;
    readonly stop?: readonly string[];
    readonly reasoning?: 'none' | 'minimal' | 'low' | 'medium' | 'high';
  };
  readonly idempotencyKey: string;
  /** Receives the response while the model writes it. Absent: the response is not streamed. */
  readonly onPiece?: (part: LivePart, text: string) => void;
  /** Returns the content of a file in a message. */
  readonly loadFile: (reference: FileReference) => Promise<LoadedFile>;
};

/** Tokens of one or several calls. The input includes cached tokens, the output reasoning tokens. */
export type ModelUsage = {
  readonly input_tokens: number;
  readonly cached_input_tokens: number;
  readonly output_tokens: number;
  readonly reasoning_tokens: number;
};

export const finishReasons = ['stop', 'length', 'tool_calls', 'content_filter', 'error', 'other'] as const;
export type FinishReason = (typeof finishReasons)[number];

/** `model`: the name returned by the provider. `cost` in US dollars; null if the operator set no price. */
export type ModelResponse = {
  readonly content: readonly ResponsePart[];
  readonly finishReason: FinishReason;
  readonly usage: ModelUsage;
  readonly cost: number | null;
  readonly model: string;
};

/** One call of an embedding model. `dimensions` null: those of the model. */
export type EmbeddingCall = {
  readonly texts: readonly string[];
  readonly dimensions: number | null;
  readonly idempotencyKey: string;
};

/** `embeddings` in the order of the texts. `cost` as in ModelResponse. */
export type EmbeddingResponse = {
  readonly embeddings: readonly (readonly number[])[];
  readonly inputTokens: number;
  readonly cost: number | null;
};

/** A model that a provider lists. `name` null: the provider states none besides the id. */
export type ProviderModel = { readonly id: string; readonly name: string | null };

/** The models that a provider lists, by id. `listedAt`: when the list was loaded from the provider. */
export type ProviderModelList = {
  readonly models: readonly (ProviderModel & { readonly isPriced: boolean })[];
  readonly listedAt: number;
};

/** US dollars for a million tokens. */
export type ModelPrice = {
  readonly input: number;
  /** Default: the price of input. */
  readonly cached_input?: number;
  readonly output: number;
};

/** Prices by `provider/model`; a key may end with `*`. The longest key that matches applies. */
export type ModelPrices = Readonly<Record<string, ModelPrice>>;
