import type { Definition } from '../../contract/definition.ts';
import { createNotFoundError } from '../../contract/errors.ts';
import type { Principal } from '../../contract/principal.ts';
import type { Clock } from '../../ports/clock.ts';
import type { UserNodeTypes } from '../../ports/node-types.ts';
import type { WorkflowRow, WorkflowStore } from '../../ports/store/workflows.ts';
import { requireScope } from '../authorize.ts';
import { completeDefinition, requireRunnable } from '../workflows/lifecycle.ts';
import { mayUseSecrets, refuseNewSecretUse } from '../workflows/secret-right.ts';
import type { DefinitionValidator } from '../workflows/validate-definition.ts';
import { getAuthor } from '../workflows/workflow-changes.ts';

/**
 * Stores a definition that an execution runs as a test. The caller needs the same rights as for saving it.
 * Returns the workflow with the number of the test as its version. @throws {WeftError} FORBIDDEN,
 * VALIDATION_ERROR with all errors of the definition, NOT_FOUND.
 */
export async function saveTestDefinition(
  deps: {
    workflows: Pick<WorkflowStore, 'version' | 'saveTest'>;
    ownTypes: UserNodeTypes;
    validator: DefinitionValidator;
    clock: Pick<Clock, 'now'>;
  },
  principal: Principal,
  workflow: WorkflowRow,
  given: Parameters<typeof completeDefinition>[0],
): Promise<{ row: WorkflowRow; definition: Definition }> {
  requireScope(principal, 'workflows:write');
  const { workflows, validator } = deps;
  const { ownerId, id: workflowId } = workflow;
  const definition = completeDefinition(given, await deps.ownTypes.of(ownerId));
  if (!mayUseSecrets(principal)) {
    const saved = await workflows.version(ownerId, workflowId, workflow.version);
    await refuseNewSecretUse(validator, ownerId, definition, saved?.definition ?? null);
  }
  requireRunnable(await validator.find(ownerId, definition), definition);
  const author = getAuthor(principal);
  const test = { ownerId, workflowId, definition, author, createdAt: deps.clock.now() };
  const version = await workflows.saveTest(test);
  if (version === null) throw createNotFoundError('workflow');
  return { row: { ...workflow, version }, definition };
}
