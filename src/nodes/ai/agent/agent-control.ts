import type { ModelMessage, ModelUsage } from '../../../contract/ai/models.ts';
import type { CallAmounts } from '../../../contract/ai/usage.ts';
import type { FieldError } from '../../../contract/errors.ts';
import type { NodeStreamEvent } from '../../../contract/ai/stream-events.ts';
import type {
  BodyControl,
  BodyNode,
  BodyResult,
  BodyStep,
  NodeFailure,
  Outcome,
} from '../../../contract/node-type.ts';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { invalidFields } from '../../outcome.ts';
import { closeToolCalls, createTurn, selectNewMessages, type LoadedMemory } from '../memory.ts';
import { validateHistory, type Conversation } from '../conversation.ts';
import { addCost, addUsage, createRepairMessage, NO_USAGE, readStructuredOutput } from '../model-run.ts';
import {
  DEFAULT_REPAIRS,
  NO_PARAMETERS,
  formatToolRegion,
  type AgentConfig,
  type AgentTool,
} from './agent-config.ts';
import { validateAgentInput } from './agent-input.ts';
import { findReachedLimit, readDailyLimit, readToolUsage, type AgentUsage } from './agent-limits.ts';
import { createResultPart, readResponse, type TurnResponse } from './turn-response.ts';
import {
  createToolResult,
  createErrorResult,
  findArgumentsIssue,
  needsApproval,
  readVerdict,
  formatApprovalKey,
  type ToolCall,
  type ToolResult,
} from './tool-call.ts';

/** Tool calls of one turn that run at the same time. Calls that wait for an approval do not count. */
const MAX_RUNNING = 16;

type Start = NonNullable<BodyStep['start']>[number];
type Saved = {
  messages: ModelMessage[];
  queue: Start[];
  running: Set<string>;
  calls: ToolCall[];
  firstNew: number;
  startedAt: number;
  turns: number;
  repairs: number;
  toolCalls: number;
  failedToolCalls: number;
  usage: ModelUsage;
  cost: number | null;
  last: TurnResponse | null;
};

/**
 * Alternates between turns of the model and the tools that it calls, until it responds without a call.
 * Deterministic, so that a replay after a crash makes the same decisions. The key of a turn is its number,
 * `2`; that of a tool call adds its position, `2.0`, and that of its approval a word, `2.0.approval`.
 */
export class AgentControl implements BodyControl {
  readonly #config: AgentConfig;
  readonly #input: Json;
  readonly #node: BodyNode;
  readonly #memory: LoadedMemory | null;
  readonly #tools: ReadonlyMap<string, AgentTool>;
  #messages: ModelMessage[] = [];
  #queue: Start[] = [];
  #running = new Set<string>();
  #calls: ToolCall[] = [];
  /** What the current step reports. */
  #events: NodeStreamEvent[] = [];
  /** Where the messages of this turn of the thread begin. */
  #firstNew = 0;
  #startedAt = 0;
  #turns = 0;
  #repairs = 0;
  #toolCalls = 0;
  #failedToolCalls = 0;
  #usage = NO_USAGE;
  #cost: number | null = 0;
  #last: TurnResponse | null = null;

  constructor(config: AgentConfig, input: Json, node: BodyNode, memory: LoadedMemory | null = null) {
    this.#config = config;
    this.#memory = memory;
    this.#input = input;
    this.#node = node;
    this.#tools = new Map((config.tools ?? []).map((tool) => [tool.name, tool]));
  }

  begin(at: number): BodyStep {
    this.#startedAt = at;
    const errors = this.#addFirstMessages();
    return errors.length > 0 ? { outcome: invalidFields(errors) } : this.#startTurn(at);
  }

  /** Adds the messages before the first turn; returns the errors of the configuration and the input. */
  #addFirstMessages(): readonly FieldError[] {
    const { instructions, history = [], prompt } = this.#config;
    if (instructions !== undefined) this.#messages.push({ role: 'system', content: instructions });
    const earlier = (this.#memory?.messages ?? []) as unknown as ModelMessage[];
    if (prompt !== undefined) {
      this.#messages.push(...earlier, ...(history as unknown as ModelMessage[]));
      this.#firstNew = this.#messages.length;
      this.#messages.push({ role: 'user', content: prompt });
      return validateHistory(history);
    }
    const errors = validateAgentInput(this.#input, this.#config);
    if (errors.length > 0) return errors;
    const { messages } = this.#input as unknown as Conversation;
    if (this.#memory === null) this.#messages.push(...messages);
    else {
      this.#messages.push(...messages.filter(({ role }) => role === 'system'), ...earlier);
      this.#firstNew = this.#messages.length;
      this.#messages.push(...selectNewMessages(messages));
    }
    return [];
  }

  settled(key: string, result: BodyResult, at: number, used: CallAmounts | null = null): BodyStep {
    const step = this.#settle(key, result, at, used);
    const events = this.#events;
    if (events.length === 0) return step;
    this.#events = [];
    return { ...step, events };
  }

  #settle(key: string, result: BodyResult, at: number, used: CallAmounts | null): BodyStep {
    if (key === String(this.#turns - 1)) return this.#endTurn(result, at);
    if (used !== null) this.#addUsage(readToolUsage(used));
    this.#running.delete(key);
    const call = this.#calls.find((one) => key === one.key || key === formatApprovalKey(one));
    if (call === undefined || call.result !== null) return {};
    if (key === call.key) this.#setResult(call, createToolResult(result, call.changed));
    else if (result.status === 'failed' && result.error.type !== 'timeout')
      return { outcome: { kind: 'failed', error: result.error } };
    else this.#decide(call, result);
    return this.#continue(at);
  }

  #addUsage({ usage, cost }: Pick<TurnResponse, 'usage' | 'cost'>): void {
    this.#usage = addUsage(this.#usage, usage);
    this.#cost = addCost(this.#cost, cost);
  }

  countRetainedBytes(measure: (value: Json) => number): number {
    return (this.#messages as unknown as Json[]).reduce<number>((sum, message) => sum + measure(message), 0);
  }

  save(): Saved {
    return {
      messages: this.#messages,
      queue: this.#queue,
      running: this.#running,
      calls: this.#calls,
      firstNew: this.#firstNew,
      startedAt: this.#startedAt,
      turns: this.#turns,
      repairs: this.#repairs,
      toolCalls: this.#toolCalls,
      failedToolCalls: this.#failedToolCalls,
      usage: this.#usage,
      cost: this.#cost,
      last: this.#last,
    };
  }

  restore(saved: unknown): void {
    ({
      messages: this.#messages,
      queue: this.#queue,
      running: this.#running,
      calls: this.#calls,
      firstNew: this.#firstNew,
      startedAt: this.#startedAt,
      turns: this.#turns,
      repairs: this.#repairs,
      toolCalls: this.#toolCalls,
      failedToolCalls: this.#failedToolCalls,
      usage: this.#usage,
      cost: this.#cost,
      last: this.#last,
    } = saved as Saved);
  }

  #startTurn(at: number): BodyStep {
    if (this.#config.maxCost !== undefined && this.#cost === null)
      return fail('validation', 'maxCost: a model in a tool has no price. Set it in WEFT_MODEL_PRICES.');
    const reached = findReachedLimit(this.#config, this.#computeUsage(), at);
    if (reached !== null) return this.#endAtLimit(reached);
    const turn = this.#turns++;
    const { schema } = this.#config;
    const tools = [...this.#tools.values()].map(({ name, description, parameters = NO_PARAMETERS }) => ({
      name,
      description,
      // OpenAI refuses a schema without one of these.
      parameters: { type: 'object', properties: {}, ...parameters },
    }));
    const conversation: JsonObject = {
      messages: [...this.#messages] as unknown as Json,
      ...(tools.length === 0 ? {} : { tools }),
      ...(schema === undefined ? {} : { schema }),
    };
    return { start: [{ key: String(turn), region: 'model', input: conversation, index: turn }] };
  }

  #endTurn(result: BodyResult, at: number): BodyStep {
    if (result.status === 'failed') return this.#endAfterFailure(result.error);
    const response = readResponse(result.output);
    if (response === null)
      return fail('validation', 'model: the last node must return the response of a language model (llm)');
    this.#last = response;
    this.#addUsage(response);
    this.#messages.push({ role: 'assistant', content: response.content });
    if (this.#config.maxCost !== undefined && response.cost === null)
      return fail('validation', `maxCost: ${response.model} has no price. Set it in WEFT_MODEL_PRICES.`);
    const parts = response.content.filter((part) => part.type === 'tool_call');
    if (parts.length === 0) return this.#endConversation(response, at);
    // The results could not be used any more.
    const reached = findReachedLimit(this.#config, this.#computeUsage(), at);
    if (reached !== null) return this.#endAtLimit(reached);
    this.#toolCalls += parts.length;
    this.#calls = parts.map((part, i) => ({
      part,
      key: `${this.#turns - 1}.${i}`,
      tool: this.#tools.get(part.name) ?? null,
      changed: null,
      result: null,
    }));
    const asked = this.#calls.flatMap((call) => this.#begin(call));
    const step = this.#continue(at);
    return asked.length === 0 ? step : { ...step, start: [...asked, ...(step.start ?? [])] };
  }

  /** Sets the result of a call that cannot run, queues it, or returns the start of its approval. */
  #begin(call: ToolCall): Start[] {
    const { part, tool } = call;
    this.#events.push({
      type: 'tool_start',
      call_id: part.id,
      tool: part.name,
      arguments: part.arguments,
    });
    if (tool === null) {
      const names = [...this.#tools.keys()].join(', ');
      this.#setResult(call, createErrorResult(`There is no tool ${part.name}. The tools are: ${names}.`));
      return [];
    }
    const issue = findArgumentsIssue(tool, part.arguments);
    if (issue !== null) {
      this.#setResult(call, createErrorResult(issue));
      return [];
    }
    if (!needsApproval(tool, part.arguments)) {
      this.#enqueue(call, part.arguments);
      return [];
    }
    const input = { tool: part.name, arguments: part.arguments };
    return [
      {
        key: formatApprovalKey(call),
        region: 'approval',
        input,
        item: part.arguments,
        index: this.#turns - 1,
      },
    ];
  }

  #decide(call: ToolCall, result: BodyResult): void {
    const { part, tool } = call;
    if (tool === null) return;
    const verdict = readVerdict(result, part.arguments as JsonObject, tool);
    if (verdict.kind === 'rejected') return this.#setResult(call, createErrorResult(verdict.message));
    const issue = findArgumentsIssue(tool, verdict.arguments);
    if (issue !== null)
      return this.#setResult(
        call,
        createErrorResult(`A person changed the arguments, but they do not fit. ${issue}`),
      );
    if (verdict.isChanged) call.changed = verdict.arguments;
    this.#enqueue(call, verdict.arguments);
  }

  #enqueue({ key, part }: ToolCall, args: Json): void {
    this.#queue.push({
      key,
      region: formatToolRegion(part.name),
      input: args,
      item: args,
      index: this.#turns - 1,
    });
  }

  #setResult(call: ToolCall, result: ToolResult): void {
    call.result = result;
    this.#events.push({
      type: 'tool_end',
      call_id: call.part.id,
      tool: call.part.name,
      result: result.result,
      is_error: result.isError,
    });
    if (result.isError) this.#failedToolCalls++;
  }

  /** Starts queued calls, or the next turn when all calls have a result. */
  #continue(at: number): BodyStep {
    if (this.#calls.every(({ result }) => result !== null)) {
      this.#messages.push({ role: 'tool', content: this.#calls.map(createResultPart) });
      this.#calls = [];
      return this.#startTurn(at);
    }
    const start = this.#queue.splice(0, MAX_RUNNING - this.#running.size);
    for (const { key } of start) this.#running.add(key);
    return start.length === 0 ? {} : { start };
  }

  #endConversation(response: TurnResponse, at: number): BodyStep {
    const { schema, maxRepairs = DEFAULT_REPAIRS } = this.#config;
    if (response.finishReason === 'content_filter')
      return fail('client_error', 'The provider of the model blocked the response (content filter).');
    if (schema === undefined) return { outcome: this.#complete({ out: this.#summarize() }) };
    const found = readStructuredOutput(response.content, schema);
    if (!('error' in found))
      return { outcome: this.#complete({ out: { ...this.#summarize(), output: found.value } }) };
    const message = createRepairMessage(found.error);
    if (this.#repairs >= maxRepairs)
      return fail(
        'validation',
        `The response does not match the schema: ${found.error.field} ${found.error.issue}`,
      );
    this.#repairs++;
    this.#messages.push(message);
    return this.#startTurn(at);
  }

  #computeUsage(): AgentUsage {
    return { turns: this.#turns, usage: this.#usage, cost: this.#cost, startedAt: this.#startedAt };
  }

  /** A budget of the workflow is a limit of the agent: the model was not called. */
  #endAfterFailure(error: NodeFailure): BodyStep {
    const limit = readDailyLimit(error);
    if (limit === null || !this.#node.isConnected('limit')) return { outcome: { kind: 'failed', error } };
    this.#turns--;
    return this.#endAtLimit(limit);
  }

  #endAtLimit(limit: string): BodyStep {
    if (!this.#node.isConnected('limit'))
      return fail('limit', `The agent reached its limit on ${limit} after ${this.#turns} turns.`);
    const messages = this.#messages as unknown as Json;
    return { outcome: this.#complete({ limit: { limit, ...this.#summarize(), messages } }) };
  }

  #complete(outputs: Record<string, Json>): Outcome {
    const { memory } = this.#config;
    if (this.#memory === null || memory === undefined) return { kind: 'done', outputs };
    const messages = closeToolCalls(this.#messages.slice(this.#firstNew));
    return { kind: 'done', outputs, turn: createTurn(this.#memory.thread, messages, memory) };
  }

  #summarize(): JsonObject {
    return {
      text: this.#last?.text ?? '',
      finish_reason: this.#last?.finishReason ?? null,
      turns: this.#turns,
      tool_calls: this.#toolCalls,
      failed_tool_calls: this.#failedToolCalls,
      usage: { ...this.#usage },
      cost: this.#cost,
      model: this.#last?.model ?? null,
    };
  }
}

function fail(
  type: 'validation' | 'limit' | 'client_error',
  message: string,
): BodyStep & { outcome: Outcome } {
  return { outcome: { kind: 'failed', error: { type, message } } };
}
