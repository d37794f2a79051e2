import type {
  DeferredTemplate,
  NodeContext,
  NodeType,
  Outcome,
  ScopeExtra,
} from '../../src/contract/node-type.ts';
import { compileConfig, evaluateDeferred } from '../../src/expressions/compile-config.ts';
import type { Json, JsonObject } from '../../src/lib/json/json.ts';
import { validateConfig, validateValue } from '../../src/nodes/validate-config.ts';
import { readThreadTime } from './time/thread-time.ts';
import { createModeFinder } from '../../src/nodes/template-mode.ts';

/**
 * Runs a node like the runner: validates the configuration, evaluates its templates, validates again, runs in
 * real time.
 */
export async function runNode(
  type: NodeType,
  config: JsonObject,
  input: Json,
  given: { now?: number; connected?: boolean; aborted?: AbortSignal } = {},
): Promise<Outcome> {
  const errors = validateConfig(type, config);
  if (errors.length > 0) return failed(errors);
  const mode = createModeFinder(type.templates);
  const compiled = compileConfig(config, {
    skip: (field) => mode(field.replaceAll(/\[(\d+)\]/g, '.$1').split('.')),
  });
  if (compiled.errors.length > 0) throw new Error(compiled.errors[0]!.message);
  const now = given.now;
  const scope = { input, trigger: input, secrets: () => 'a-secret', now: now ?? Date.now() };
  const value = compiled.evaluate(scope);
  const wrong = validateValue(type, value);
  if (wrong.length > 0) return failed(wrong);
  const ctx = {
    nodeId: 'node',
    evaluate: (template: DeferredTemplate, extra: ScopeExtra) =>
      evaluateDeferred(template, { ...scope, ...extra }),
    deliveries: [],
    now: now === undefined ? () => Date.now() : () => now,
    signal: given.aborted ?? new AbortController().signal,
    orchestration: { isConnected: () => given.connected ?? true },
  } as unknown as NodeContext;
  return type.run(ctx, value as never, input);
}

/** The value at an output port. Fails when the node failed. */
export async function runToOutput(
  type: NodeType,
  config: JsonObject,
  input: Json,
  port = 'out',
): Promise<Json | undefined> {
  const outcome = await runNode(type, config, input);
  if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome));
  return outcome.outputs[port];
}

/** The error of a node that fails: type, field and issue. */
export async function runToError(
  type: NodeType,
  config: JsonObject,
  input: Json,
): Promise<{ type: string; field: string; issue: string }> {
  const outcome = await runNode(type, config, input);
  if (outcome.kind !== 'failed') throw new Error(`did not fail: ${JSON.stringify(outcome)}`);
  const { field, issue } = outcome.error.data as { field: string; issue: string };
  return { type: outcome.error.type, field, issue };
}

/**
 * The longest time in ms for which `work` blocked the event loop. It is CPU time of this thread, so the load
 * of other processes does not count. The best of six runs, because garbage collection occurs at arbitrary
 * times.
 */
export async function measureLongestBlock(work: () => Promise<unknown>): Promise<number> {
  let best = Infinity;
  for (let round = 0; round < 6 && best > 50; round++) {
    let worst = 0;
    let last = readThreadTime();
    const look = (): void => {
      const now = readThreadTime();
      worst = Math.max(worst, now - last);
      last = now;
    };
    const ticker = setInterval(look, 1);
    await work();
    look();
    clearInterval(ticker);
    best = Math.min(best, worst);
  }
  return best;
}

function failed(errors: readonly { field: string; issue: string }[]): Outcome {
  const { field, issue } = errors[0]!;
  return {
    kind: 'failed',
    error: { type: 'validation', message: `${field}: ${issue}`, data: { field, issue } },
  };
}
