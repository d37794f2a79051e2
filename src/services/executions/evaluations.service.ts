import { validate } from '../../contract/validate.ts';
import { createNotFoundError, createValidationError, type WeftError } from '../../contract/errors.ts';
import type { Principal } from '../../contract/principal.ts';
import { EvaluateSchema, type Evaluate } from '../../contract/requests/evaluate.ts';
import type { Engine } from '../../engine/engine-api.ts';
import { TemplateError, TemplateEvaluationError } from '../../expressions/errors.ts';
import type { TemplateScope } from '../../expressions/scope.ts';
import { compileTemplate, type Template } from '../../expressions/template.ts';
import type { Json } from '../../lib/json/json.ts';
import { REDACTED } from '../../lib/text/redact.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ExecutionStore } from '../../ports/store/executions.ts';
import { requireScope } from '../authorize.ts';
import type { JsonRedactor } from '../credentials/redaction.ts';

export type EvaluationsDeps = {
  executions: Pick<ExecutionStore, 'get'>;
  engine: Pick<Engine, 'scopeAt'>;
  clock: Pick<Clock, 'now'>;
  /** Returns the names that exist. */
  knownSecrets(ownerId: string, names: readonly string[]): Promise<ReadonlySet<string>>;
  /** Returns the redactor for the owner's secrets. */
  loadRedactor(ownerId: string): Promise<JsonRedactor>;
};

export type Evaluations = ReturnType<typeof createEvaluations>;

/**
 * Evaluates a template as the engine would, with the data of an execution or with given data. Nothing is
 * executed or stored. Secrets are redacted.
 */
export function createEvaluations(deps: EvaluationsDeps) {
  async function scopeFor(ownerId: string, given: Evaluate): Promise<TemplateScope> {
    const { execution_id: id, node_id: nodeId, path } = given;
    if (id === undefined) {
      const location = nodeId !== undefined ? 'node_id' : path !== undefined ? 'path' : null;
      if (location !== null)
        throw createValidationError([{ field: location, issue: 'needs execution_id beside it' }]);
      return { input: null, trigger: null, now: deps.clock.now() };
    }
    const row = await deps.executions.get(ownerId, id);
    if (row === null) throw createNotFoundError('execution');
    const scope = await deps.engine.scopeAt(row, {
      ...(nodeId !== undefined && { nodeId }),
      ...(path !== undefined && { path }),
    });
    if (scope !== null) return scope;
    throw createValidationError([
      { field: path === undefined ? 'node_id' : 'path', issue: 'names no node run of the execution' },
    ]);
  }

  return {
    /**
     * @throws {WeftError} VALIDATION_ERROR with field `template` when the template is invalid or cannot be
     * evaluated with the data.
     */
    async evaluate(principal: Principal, input: unknown): Promise<Json> {
      requireScope(principal, 'executions:read');
      const given = validate(EvaluateSchema, input);
      const template = compiled(given.template);
      const seen = overrideScope(await scopeFor(principal.userId, given), given);
      const secrets = await deps.knownSecrets(principal.userId, template.secretNames);
      const redact = await deps.loadRedactor(principal.userId);
      try {
        return redact(
          template.evaluate({ ...seen, secrets: (name) => (secrets.has(name) ? REDACTED : undefined) }),
        );
      } catch (error) {
        if (error instanceof TemplateEvaluationError) throw createError(error.message);
        throw error;
      }
    },
  };
}

function compiled(text: string): Template {
  try {
    return compileTemplate(text);
  } catch (error) {
    if (error instanceof TemplateError) throw createError(error.message, error.position);
    throw error;
  }
}

/** Returns the scope with the given values in place of its own. */
function overrideScope(scope: TemplateScope, given: Evaluate): TemplateScope {
  const nodes = given.nodes as Record<string, Json> | undefined;
  return {
    ...scope,
    ...(given.input !== undefined && { input: given.input as Json }),
    ...(given.trigger !== undefined && { trigger: given.trigger as Json }),
    ...(given.item !== undefined && { item: given.item as Json }),
    ...(given.index !== undefined && { index: given.index }),
    ...(given.value !== undefined && { value: given.value as Json }),
    ...(nodes !== undefined && {
      nodes: (id: string) => (Object.hasOwn(nodes, id) ? nodes[id] : scope.nodes?.(id)),
    }),
  };
}

/** `position` is an offset in the template. */
function createError(issue: string, position?: number): WeftError {
  return createValidationError([
    { field: 'template', issue: position === undefined ? issue : `${issue} (at ${position})` },
  ]);
}
