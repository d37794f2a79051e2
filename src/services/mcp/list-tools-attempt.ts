import { compileConfig, evaluateDeferred } from '../../expressions/compile-config.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { listMcpTools } from '../../nodes/mcp/list-mcp-tools.ts';
import { createModeFinder } from '../../nodes/template-mode.ts';
import type { Attempt } from '../../ports/runner.ts';
import type { TemplateScope } from '../../expressions/scope.ts';

const mode = createModeFinder(listMcpTools.templates);

/** Compiles the configuration of a list. Its templates can only read secrets. */
export function compileListConfig(config: JsonObject) {
  return compileConfig(config, { skip: (pointer) => mode(pointer.split('.')) });
}

/** Wraps a list as an attempt for the runner; it belongs to no execution. */
export function listToolsAttempt(
  ownerId: string,
  compiled: ReturnType<typeof compileListConfig>,
  now: number,
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
    type: listMcpTools,
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
    timeout: null,
    onAbort: () => () => {},
    log() {},
  };
}
