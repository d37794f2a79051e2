import { createConflictError, createNotFoundError } from '../../contract/errors.ts';
import { isSettled } from '../../contract/execution.ts';
import type { Engine } from '../../engine/engine-api.ts';
import type { Json } from '../../lib/json/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ExecutionStore } from '../../ports/store/executions.ts';
import type { ResumeUrls, ResumeTarget } from './resume-url.ts';

/** The type of the nodes that wait for a post. */
const WAIT_NODE_TYPE = 'wait_for_event';

export type Resume = {
  /** Checks the token before the body of a post is read. @throws {WeftError} as `post`. */
  requireKnown(token: string): Promise<void>;
  /**
   * Passes a value to the node run that waits at the URL; it is on disk when this resolves.
   * @throws {WeftError} NOT_FOUND for an unknown URL; CONFLICT when no node waits, or a value was posted
   * before.
   */
  post(token: string, value: Json): Promise<{ executionId: string }>;
};

export function createResume(deps: {
  addresses: ResumeUrls;
  executions: Pick<ExecutionStore, 'get' | 'signal'>;
  engine: Pick<Engine, 'waiting' | 'checkTimers'>;
  clock: Pick<Clock, 'now'>;
}): Resume {
  const { addresses, executions, engine, clock } = deps;

  /** Resolves the path of the node run. */
  async function findWaitingPath({ ownerId, executionId, path }: ResumeTarget): Promise<string> {
    const row = await executions.get(ownerId, executionId);
    if (row === null) throw createNotFoundError('execution');
    if (isSettled(row.status)) throw ended();
    const waiting = (await engine.waiting(row)).filter((run) => run.type === WAIT_NODE_TYPE);
    if (path !== '') {
      if (waiting.some((run) => run.path === path)) return path;
      throw createConflictError('The node does not wait any more, or not yet.');
    }
    const [only, ...others] = waiting;
    if (only === undefined) throw createConflictError('No node of this execution waits now.');
    if (others.length > 0)
      throw createConflictError(
        'Several nodes of this execution wait: post to the address of one, which is in its log.',
      );
    return only.path;
  }

  return {
    async requireKnown(token) {
      const target = addresses.read(token);
      if (target === null) throw createNotFoundError('address');
      await findWaitingPath(target);
    },

    async post(token, value) {
      const target = addresses.read(token);
      if (target === null) throw createNotFoundError('address');
      const { ownerId, executionId } = target;
      const path = await findWaitingPath(target);
      const result = await executions.signal(ownerId, executionId, path, JSON.stringify(value), clock.now());
      if (result === 'missing') throw createNotFoundError('execution');
      if (result === 'settled') throw ended();
      if (result === 'taken') throw createConflictError('This was posted to before.');
      engine.checkTimers();
      return { executionId };
    },
  };
}

function ended(): Error {
  return createConflictError('The execution has ended.');
}
