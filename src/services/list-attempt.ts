import { compileConfig, evaluateDeferred } from '../expressions/compile-config.ts';
import { createValidationError, WeftError, type FieldError } from '../contract/errors.ts';
import type { NodeFailure, NodeType } from '../contract/node-type.ts';
import type { Principal } from '../contract/principal.ts';
import { isObject, type Json, type JsonObject } from '../lib/json/json.ts';
import { createModeFinder } from '../nodes/template-mode.ts';
import { validateConfig } from '../nodes/validate-config.ts';
import type { Clock } from '../ports/clock.ts';
import type { Attempt, NodeRunner } from '../ports/runner.ts';
import type { TemplateScope } from '../expressions/scope.ts';
import type { JsonRedactor } from './credentials/redaction.ts';
import { mayUseSecrets } from './workflows/secret-right.ts';

/* Lists that a node type outside the catalog loads for the form of a node. */

/** Compiles the configuration of a list. Its templates can only read secrets. */
export function compileListConfig(type: NodeType, config: JsonObject) {
  const mode = createModeFinder(type.templates);
  return compileConfig(config, { skip: (pointer) => mode(pointer.split('.')) });
}

export type ListDeps = {
  /** Runs the list with the secrets, egress policy and limits of a node. */
  runner: NodeRunner;
  clock: Pick<Clock, 'now'>;
  /** Returns the redactor for the owner's secrets. */
  loadRedactor: (ownerId: string) => Promise<JsonRedactor>;
};

/**
 * Runs a list and returns its output, redacted. The scope `secrets:use` is needed to use a secret or a
 * connection. `describe` returns the field and the issue of a failure that concerns no field of the node, and
 * `fields` are names of fields of the request that differ from those of the node.
 * @throws {WeftError} VALIDATION_ERROR with the field, also when the server does not list.
 */
export async function runList(
  { runner, clock, loadRedactor }: ListDeps,
  principal: Principal,
  type: NodeType,
  config: JsonObject,
  describe: (message: string) => FieldError,
  fields: Readonly<Record<string, string>> = {},
): Promise<Json> {
  const refuse = (errors: readonly FieldError[]): WeftError =>
    createValidationError(errors.map((one) => ({ ...one, field: fields[one.field] ?? one.field })));
  const errors = validateConfig(type, config);
  if (errors.length > 0) throw refuse(errors);
  const compiled = compileListConfig(type, config);
  if (compiled.errors.length > 0)
    throw refuse(compiled.errors.map(({ pointer, message }) => ({ field: pointer, issue: message })));
  const [secret] = compiled.secretReads;
  const [connection] = type.connections?.(config) ?? [];
  const field = secret?.pointer ?? connection?.field;
  if (field !== undefined && !mayUseSecrets(principal))
    throw new WeftError(
      'FORBIDDEN',
      `This credential lacks the scope secrets:use, which is needed to use a secret or a connection.`,
      { scope: 'secrets:use', field },
    );
  const { userId } = principal;
  const outcome = await runner.run(createListAttempt(type, userId, compiled, clock.now()));
  if (outcome.kind === 'done') return (await loadRedactor(userId))(outcome.outputs['out']!);
  if (outcome.kind === 'failed')
    throw refuse([readFieldError(outcome.error) ?? describe(outcome.error.message)]);
  throw new WeftError('STORAGE_UNAVAILABLE');
}

function readFieldError({ data }: NodeFailure): FieldError | null {
  const { field, issue } = isObject(data ?? null) ? (data as JsonObject) : {};
  return typeof field === 'string' && field !== '' && typeof issue === 'string' ? { field, issue } : null;
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
