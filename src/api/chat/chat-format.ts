import type { FastifyReply, FastifyRequest } from 'fastify';
import { isServerError, WeftError, type FieldError } from '../../contract/errors.ts';
import type { FinishReason, ModelUsage } from '../../contract/ai/models.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import type { ChatCompletion, StartedChat } from '../../services/chat/chat.service.ts';
import type { ChatToolCall } from '../../services/chat/chat-response.ts';
import { keepConnectionForBody, toKnownError } from '../http/errors.ts';

/**
 * The status of a request whose execution failed or has not ended. Clients repeat a request after 409, 429 or
 * 5xx, which would start another execution.
 */
const NOT_REPEATED = 422;
const FINISH_REASONS: Partial<Record<FinishReason, string>> = {
  length: 'length',
  tool_calls: 'tool_calls',
  content_filter: 'content_filter',
};
const ERROR_TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
};

export function presentModel(name: string) {
  return { id: name, object: 'model', created: 0, owned_by: 'weft' };
}

export function presentCompletion(
  started: StartedChat,
  { message: { text, toolCalls, finishReason }, usage }: ChatCompletion,
) {
  return {
    ...presentHead(started, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: text === '' && toolCalls.length > 0 ? null : text,
          refusal: null,
          ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls.map(presentToolCall) }),
        },
        logprobs: null,
        finish_reason: FINISH_REASONS[finishReason] ?? 'stop',
      },
    ],
    usage: presentUsage(usage),
  };
}

export function presentChunk(started: StartedChat, delta: JsonObject, finishReason: string | null = null) {
  return {
    ...presentHead(started, 'chat.completion.chunk'),
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
  };
}

/** The chunks after the text. */
export function presentLastChunks(
  started: StartedChat,
  { message: { toolCalls, finishReason }, usage }: ChatCompletion,
) {
  const calls = toolCalls.map((call, index) => ({ index, ...presentToolCall(call) }));
  return [
    ...(calls.length === 0 ? [] : [presentChunk(started, { tool_calls: calls })]),
    presentChunk(started, {}, FINISH_REASONS[finishReason] ?? 'stop'),
    ...(started.includesUsage
      ? [
          {
            ...presentHead(started, 'chat.completion.chunk'),
            choices: [],
            usage: presentUsage(usage),
          },
        ]
      : []),
  ];
}

function presentHead({ executionId, createdAt, model }: StartedChat, object: string) {
  return { id: `chatcmpl-${executionId}`, object, created: Math.floor(createdAt / 1000), model };
}

function presentToolCall({ id, name, arguments: args }: ChatToolCall) {
  return { id, type: 'function' as const, function: { name, arguments: args } };
}

function presentUsage(usage: ModelUsage) {
  return {
    prompt_tokens: usage.input_tokens,
    completion_tokens: usage.output_tokens,
    total_tokens: usage.input_tokens + usage.output_tokens,
    prompt_tokens_details: { cached_tokens: usage.cached_input_tokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoning_tokens },
  };
}

/** An error as clients of OpenAI expect it. */
export function presentChatError(error: WeftError) {
  const fields = readFieldErrors(error);
  const isModel = error.code === 'NOT_FOUND' && error.message === 'The model does not exist.';
  return {
    error: {
      message:
        fields.length > 1 ? fields.map(({ field, issue }) => `${field}: ${issue}`).join('; ') : error.message,
      type: readErrorType(error),
      param: fields[0]?.field ?? (isModel ? 'model' : null),
      code: isModel ? 'model_not_found' : error.code.toLowerCase(),
    },
  };
}

/**
 * Sends an error as clients of OpenAI expect it. An error that is not a WeftError is logged, as for all
 * routes.
 */
export function sendChatError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const known = toKnownError(error, request);
  const hasExecution = known !== null && typeof known.details['execution_id'] === 'string';
  // An error with an execution was logged before.
  if (known === null || (isServerError(known.code) && !hasExecution))
    request.log.error({ err: error }, 'request failed');
  const shown = known ?? new WeftError('INTERNAL_ERROR');
  if (hasExecution) reply.header('x-should-retry', 'false');
  const retryAfter = shown.details['retry_after'];
  if (typeof retryAfter === 'number' && !hasExecution) reply.header('retry-after', String(retryAfter));
  if (shown.code === 'UNAUTHORIZED') reply.header('www-authenticate', 'Bearer realm="weft"');
  keepConnectionForBody(request, reply);
  void reply
    .code(hasExecution ? NOT_REPEATED : shown.status)
    .header('cache-control', 'no-store')
    .send(presentChatError(shown));
}

function readErrorType({ status, details }: WeftError): string {
  if (typeof details['execution_id'] === 'string') return 'execution_error';
  return ERROR_TYPES[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error');
}

function readFieldErrors({ details }: WeftError): FieldError[] {
  const { errors } = details;
  return Array.isArray(errors) ? (errors as FieldError[]) : [];
}
