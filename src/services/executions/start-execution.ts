import type { Definition } from '../../contract/definition.ts';
import { createConflictError, createNotFoundError, WeftError } from '../../contract/errors.ts';
import type { Engine, StartRequest, CompletionHandle } from '../../engine/engine-api.ts';
import type { Clock } from '../../ports/clock.ts';
import type { WorkflowRow, WorkflowStore } from '../../ports/store/workflows.ts';
import { addRetryAfter } from './overload.ts';
import type { DefinitionValidator } from '../workflows/validate-definition.ts';
import { requireRunnable } from '../workflows/lifecycle.ts';

/** `isReplay`: an earlier request with the same key started it. */
export type Started = { id: string; isReplay: boolean };

/** Starts executions that users request: runs of a workflow and retries of an execution. */
export function createStarter(deps: {
  workflows: Pick<WorkflowStore, 'version'>;
  engine: Pick<Engine, 'start' | 'watch'>;
  validator: DefinitionValidator;
  clock: Pick<Clock, 'after'>;
}) {
  const { engine } = deps;

  /** Resolves when the execution ends, or after `ms`. */
  async function endWithin(watch: CompletionHandle, ms: number): Promise<void> {
    let cancel = (): void => {};
    const late = new Promise<void>((resolve) => {
      cancel = deps.clock.after(ms, resolve);
    });
    try {
      await Promise.race([watch.ended, late]);
    } finally {
      cancel();
      watch.cancel();
    }
  }

  return {
    /** Returns the definition to run. @throws {WeftError} VALIDATION_ERROR with all of its errors. */
    async runnable(row: WorkflowRow, version: number): Promise<Definition> {
      const stored = await deps.workflows.version(row.ownerId, row.id, version);
      if (stored === null) throw createNotFoundError('workflow');
      const found = await deps.validator.findStored(row.ownerId, row.id, version, stored.definition);
      requireRunnable(found, stored.definition);
      return stored.definition;
    },

    /**
     * Starts an execution, or finds the one that the same key started; resolves when it ends or after `wait`
     * ms.
     */
    async start(request: StartRequest, wait: number): Promise<Started> {
      const started = await engine.start(request).catch((error: unknown) => {
        throw addRetryAfter(error);
      });
      if (started.kind === 'workflow_gone') throw createNotFoundError('workflow');
      if (started.kind === 'tick_taken') throw createConflictError('This tick has run already.');
      if (started.kind === 'accepted') {
        if (wait > 0) await endWithin(started.watch, wait);
        else started.watch.cancel();
        return { id: started.id, isReplay: false };
      }
      const { executionId: id, fingerprint } = started;
      if (fingerprint !== request.dedupe?.fingerprint)
        throw createConflictError('This Idempotency-Key was used before with another body.', {
          field: 'Idempotency-Key',
        });
      if (wait > 0) await endWithin(engine.watch(request.ownerId, id), wait);
      return { id, isReplay: true };
    },
  };
}

/**
 * Returns the error for a started execution that cannot be read: it includes the id, so that the caller does
 * not start it again.
 */
export function createUnreadableError(error: unknown, executionId: string): unknown {
  if (!(error instanceof WeftError) || error.code !== 'STORAGE_UNAVAILABLE') return error;
  const message = 'The execution was started, but the database cannot be reached to read it.';
  return new WeftError('STORAGE_UNAVAILABLE', message, { execution_id: executionId }, error);
}
