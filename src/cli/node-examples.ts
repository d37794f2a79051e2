import type { NodeContext, NodeExample, NodeType, Outcome } from '../contract/node-type.ts';
import { compileConfig, evaluateDeferred } from '../expressions/compile-config.ts';
import type { TemplateScope } from '../expressions/scope.ts';
import { isDeepStrictEqual } from 'node:util';
import { validateConfig, validateValue } from '../nodes/validate-config.ts';
import { createModeFinder } from '../nodes/template-mode.ts';

/** What an example may use of the outside world. */
type ExampleServices = Pick<NodeContext, 'code' | 'documents'>;

/** The current time of the examples, epoch ms. */
const NOW = Date.parse('2026-01-01T00:00:00Z');

/**
 * Runs an example of a node: validates its configuration, evaluates its expressions and, for a node without
 * side effects, compares the result with the example. `not run`: the node needs an external system.
 */
export async function runExample(
  type: NodeType,
  example: NodeExample,
  services: ExampleServices,
): Promise<{ wrong: string } | 'holds' | 'not run'> {
  const [saved] = validateConfig(type, example.config);
  if (saved !== undefined)
    return example.failure === 'validation' ? 'holds' : { wrong: `config.${saved.field} ${saved.issue}` };
  const mode = createModeFinder(type.templates);
  const compiled = compileConfig(example.config, {
    skip: (field) => mode(field.replaceAll(/\[(\d+)\]/g, '.$1').split('.')),
  });
  const [template] = compiled.errors;
  if (template !== undefined) return { wrong: `config.${template.pointer} ${template.message}` };
  const scope = { input: example.input, trigger: example.input, secrets: () => 'a-secret', now: NOW };
  const config = compiled.evaluate(scope);
  const [error] = validateValue(type, config);
  const isRun = type.effects === 'none' && !type.isTrigger && type.control === undefined;
  if (!isRun) return error === undefined ? 'not run' : { wrong: `config.${error.field} ${error.issue}` };
  if (error !== undefined)
    return example.failure === 'validation' ? 'holds' : { wrong: `config.${error.field} ${error.issue}` };
  const outcome = await type.run(
    createExampleContext(example, scope, services),
    config as never,
    example.input,
  );
  const wrong = describeOutcomeError(example, outcome);
  return wrong === null ? 'holds' : { wrong };
}

function describeOutcomeError({ failure, outputs }: NodeExample, outcome: Outcome): string | null {
  if (failure !== undefined) {
    if (outcome.kind !== 'failed') return `should fail with ${failure}, and is ${outcome.kind}`;
    return outcome.error.type === failure
      ? null
      : `should fail with ${failure}, and fails with ${outcome.error.type}`;
  }
  if (outcome.kind === 'failed') return `failed: ${outcome.error.message}`;
  if (outcome.kind !== 'done') return `is ${outcome.kind}, not done`;
  if (outputs === undefined) return 'has neither outputs nor a failure to be held against';
  return isDeepStrictEqual(outcome.outputs, outputs)
    ? null
    : `gave ${JSON.stringify(outcome.outputs).slice(0, 500)}, not ${JSON.stringify(outputs).slice(0, 500)}`;
}

function createExampleContext(
  { deliveries = [] }: NodeExample,
  scope: TemplateScope,
  services: ExampleServices,
): NodeContext {
  const refuse = () => Promise.reject(new Error('an example reached the world'));
  return {
    executionId: 'ex_1',
    workflowId: 'wf_1',
    nodeId: 'node',
    path: 'node',
    attempt: 1,
    interruptions: 0,
    secretFields: [],
    idempotencyKey: 'key',
    signal: new AbortController().signal,
    deliveries,
    resumed: null,
    now: () => NOW,
    log() {},
    evaluate: (template, extra) => evaluateDeferred(template, { ...scope, ...extra }),
    http: { send: refuse, token: refuse, connection: refuse },
    sql: { query: refuse },
    redis: { send: refuse },
    mail: { send: refuse, useMailbox: refuse },
    mcp: { listTools: refuse, callTool: refuse },
    models: { generate: refuse, embed: refuse, list: refuse },
    packs: { run: refuse },
    threads: { read: refuse },
    vectors: { upsert: refuse, query: refuse, remove: refuse },
    liveText: { begin() {}, write() {} },
    files: { save: refuse, open: refuse },
    orchestration: {
      startChild: refuse,
      child: refuse,
      stopChild: refuse,
      signal: () => Promise.resolve({ approved: true }),
      resumeUrl: () => '',
      ask: refuse,
      countNotice: refuse,
      hasMessage: refuse,
      recordMessage: refuse,
      endQuestion: refuse,
      notify() {},
      isConnected: () => true,
    },
    ...services,
  };
}
