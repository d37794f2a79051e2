import {
  REASONING_SEPARATOR,
  type ResponsePart,
  type LoadedFile,
  type ModelResponse,
  type ModelCall,
  type ModelMessage,
  type ModelTool,
  type ModelUsage,
} from '../../contract/ai/models.ts';
import type { FieldError } from '../../contract/errors.ts';
import { HttpFailure } from '../../contract/node-type.ts';
import type { FileReference } from '../../contract/byte-source.ts';
import type { NodeContext, NodeFailure, Outcome } from '../../contract/node-type.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { findSchemaViolation } from '../data/json-schema/json-schema.ts';
import { SchemaError, SchemaWorkError } from '../data/json-schema/schema-error.ts';
import { invalid } from '../outcome.ts';
import { createModelServer, isHttpUrl, readSettings, URL_ISSUE, type ModelConfig } from './model-fields.ts';

/** Bytes of the files of one call. */
const MAX_FILE_BYTES = 20 * 1024 * 1024;

/**
 * What a model is asked. `schema` null: the response is a text. `maxRepairs`: further calls after a response
 * that does not match the schema; null: the response is not validated.
 */
export type ModelRequest = {
  readonly messages: readonly ModelMessage[];
  readonly tools?: readonly ModelTool[];
  readonly schema: JsonObject | null;
  readonly maxRepairs: number | null;
  /** Whether callers that follow the execution receive the text while the model writes it. */
  readonly isStreamed?: boolean;
};

/** The response of all calls together: `cost` is null if a call has no price. */
export type ModelResult = {
  readonly response: ModelResponse;
  readonly usage: ModelUsage;
  readonly cost: number | null;
  /** The value that matches the schema; undefined without one. */
  readonly output: Json | undefined;
};

/** Calls a model, and again with the error while its response does not match the schema. */
export async function runModel(
  ctx: NodeContext,
  config: ModelConfig,
  request: ModelRequest,
): Promise<ModelResult | Outcome> {
  if (config.baseUrl !== undefined && !isHttpUrl(config.baseUrl)) return invalid('baseUrl', URL_ISSUE);
  try {
    return await callModel(ctx, config, request);
  } catch (error) {
    if (error instanceof HttpFailure) return { kind: 'failed', error: error.failure };
    throw error;
  }
}

export function isOutcome(result: ModelResult | Outcome): result is Outcome {
  return 'kind' in result;
}

async function callModel(
  ctx: NodeContext,
  config: ModelConfig,
  { messages, tools = [], schema, maxRepairs, isStreamed = false }: ModelRequest,
): Promise<ModelResult | Outcome> {
  const server = createModelServer(ctx, config);
  const settings = readSettings(config);
  const all: ModelMessage[] = [...messages];
  let usage = NO_USAGE;
  let cost: number | null = 0;
  for (let call = 0; ; call++) {
    if (isStreamed) ctx.liveText.begin();
    const response = await ctx.models.generate(server, {
      messages: all,
      tools,
      schema,
      settings,
      idempotencyKey: call === 0 ? ctx.idempotencyKey : `${ctx.idempotencyKey}.${call}`,
      ...(isStreamed ? { onPiece: (part, text) => ctx.liveText.write(part, text) } : {}),
      loadFile: createFileLoader(ctx),
    });
    usage = addUsage(usage, response.usage);
    cost = addCost(cost, response.cost);
    // A call of a tool is a response only if the model was offered tools.
    const isCall = tools.length > 0 && response.content.some(({ type }) => type === 'tool_call');
    if (schema === null || maxRepairs === null || isCall) return { response, usage, cost, output: undefined };
    const found = readStructuredOutput(response.content, schema);
    if (!('error' in found)) return { response, usage, cost, output: found.value };
    if (call >= maxRepairs) return createMisfit(found.error, response);
    ctx.log('warning', `The response does not match the schema: ${describeError(found.error)}`);
    all.push({ role: 'assistant', content: response.content }, createRepairMessage(found.error));
  }
}

/** The failure for a response that does not match the schema. */
function createMisfit({ field, issue }: FieldError, { content, finishReason }: ModelResponse): Outcome {
  const reason = finishReason === 'length' ? '; it was cut at the maximum number of tokens' : '';
  return {
    kind: 'failed',
    error: {
      type: 'validation',
      message: `The response of the model does not match the schema: ${describeError({ field, issue })}${reason}`,
      retryable: false,
      data: { field, issue, text: joinText(content), finish_reason: finishReason },
    },
  };
}

const describeError = ({ field, issue }: FieldError): string =>
  field === '' ? `the response ${issue}` : `${field} ${issue}`;

/** Asks the model to correct a response. */
export function createRepairMessage(error: FieldError): ModelMessage {
  return {
    role: 'user',
    content: `The response does not match the JSON Schema: ${describeError(error)}. Respond again with corrected JSON only.`,
  };
}

/** Reads the JSON of a response, also inside a fenced code block, and validates it. */
export function readStructuredOutput(
  content: readonly ResponsePart[],
  schema: JsonObject,
): { value: Json } | { error: FieldError } {
  const text = joinText(content).trim();
  const [, fenced = text] = /^```(?:json)?\s*\n([\s\S]*?)\n?```$/.exec(text) ?? [];
  let value: Json;
  try {
    value = JSON.parse(fenced) as Json;
  } catch {
    return { error: { field: '', issue: 'is not valid JSON' } };
  }
  try {
    const error = findSchemaViolation(schema, value);
    return error === null ? { value } : { error };
  } catch (error) {
    if (error instanceof SchemaWorkError) return { error: { field: '', issue: error.message } };
    throw error;
  }
}

/** The texts of a response, without its reasoning. */
export function joinText(content: readonly ResponsePart[]): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** The reasoning of a response as one text. */
export function joinReasoning(content: readonly ResponsePart[]): string {
  return content
    .flatMap((part) => (part.type === 'reasoning' && part.text !== '' ? [part.text] : []))
    .join(REASONING_SEPARATOR);
}

export const NO_USAGE: ModelUsage = {
  input_tokens: 0,
  cached_input_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
};

export function addUsage(a: ModelUsage, b: ModelUsage): ModelUsage {
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    cached_input_tokens: a.cached_input_tokens + b.cached_input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    reasoning_tokens: a.reasoning_tokens + b.reasoning_tokens,
  };
}

export function addCost(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : Number((a + b).toFixed(10));
}

/** Reads the files of one call into memory, up to a total size. */
function createFileLoader(ctx: NodeContext): ModelCall['loadFile'] {
  let total = 0;
  return async (reference: FileReference): Promise<LoadedFile> => {
    const file = await ctx.files.open(reference);
    if (file === null)
      throw new HttpFailure(fileFailure(`must be a file of this execution, not ${reference.$file.id}`));
    total += file.size;
    if (total > MAX_FILE_BYTES)
      throw new HttpFailure(fileFailure(`must have at most ${MAX_FILE_BYTES} bytes together`));
    const chunks: Uint8Array[] = [];
    for await (const chunk of file.read()) chunks.push(chunk);
    return { name: file.name, contentType: file.contentType, bytes: new Uint8Array(Buffer.concat(chunks)) };
  };
}

function fileFailure(issue: string): NodeFailure {
  return {
    type: 'validation',
    message: `files: ${issue}`,
    retryable: false,
    data: { field: 'files', issue, errors: [{ field: 'files', issue }] },
  };
}

/** Returns the error of a JSON Schema that a response or an argument must match. */
export function validateOutputSchema(schema: Json | undefined, field: string): FieldError[] {
  if (schema === undefined) return [];
  try {
    findSchemaViolation(schema as JsonObject, null);
    return [];
  } catch (error) {
    if (error instanceof SchemaError) return [{ field, issue: error.message }];
    if (error instanceof SchemaWorkError) return [];
    throw error;
  }
}
