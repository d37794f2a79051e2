import { compileConfig, evaluateDeferred } from '../expressions/compile-config.ts';
import type { NodeType } from '../contract/node-type.ts';
import type { JsonObject } from '../lib/json/json.ts';
import { createModeFinder } from '../nodes/template-mode.ts';
import type { Attempt } from '../ports/runner.ts';
import type { TemplateScope } from '../expressions/scope.ts';

/* Lists that a node type outside the catalog loads for the form of a node. */

/** Compiles the configuration of a list. Its templates can only read secrets. */
export function compileListConfig(type: NodeType, config: JsonObject) {
  const mode = createModeFinder(type.templates);
  return compileConfig(config, { skip: (pointer) => mode(pointer.split('.')) });
}

/** Wraps a list as an attempt for the runner; it belongs to no execution. `timeout` in ms; null: none. */
export function createListAttempt(
  type: NodeType,
  ownerId: string,
  compiled: ReturnType<typeof compileListConfig>,
  now: number,
  { timeout = null, onAbort = () => () => {} }: Partial<Pick<Attempt, 'timeout' | 'onAbort'>> = {},
): Attempt {
  let scope: TemplateScope = { input: null, now };
  return {
    ownerId,
    executionId: '',
    workflowId: '',
    nodeId: '',
    path: '',
    attempt: 1,
    interruptions: 0,
    type,
    input: null,
    deliveries: [],
    resumed: null,
    idempotencyKey: '',
    traceContext: null,
    isConnected: () => false,
    secretReads: compiled.secretReads,
    configure(secrets) {
      scope = { ...scope, secrets: (name: string) => secrets?.get(name) };
      return compiled.evaluate(scope);
    },
    evaluate: (template, extra) => evaluateDeferred(template, { ...scope, ...extra }),
    fixedConfig: null,
    timeout,
    onAbort,
    log() {},
  };
}
