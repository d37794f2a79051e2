import {
  createConflictError,
  createNotFoundError,
  createValidationError,
  WeftError,
} from '../../contract/errors.ts';
import type { Engine } from '../../engine/engine-api.ts';
import { computeFingerprint } from '../../lib/json/canonical-json.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { TriggerFailure } from '../../ports/notifier.ts';
import type { NewFile } from '../../ports/store/files.ts';
import { addRetryAfter } from '../executions/overload.ts';
import type { NamedEndpoint } from './named-endpoints.ts';

/** How long an idempotency key is stored, ms. */
const KEY_LIFETIME_MS = 86_400_000;
const MAX_KEY_LENGTH = 255;

export type StartCallDeps = {
  engine: Pick<Engine, 'start'>;
  clock: Pick<Clock, 'now'>;
  /** Reports that a trigger cannot start its workflow. */
  failed(this: void, problem: TriggerFailure): void;
};

export type CallToStart = {
  readonly kind: 'tool' | 'chat';
  readonly input: JsonObject;
  /** Null: each call starts an execution. `field` names the key in errors. */
  readonly key: { readonly field: string; readonly value: string } | null;
  /** What distinguishes calls with the same key. Default: `input`. */
  readonly content?: JsonObject;
  /** Stores the files of the call. */
  readonly storeFiles?: (() => Promise<readonly NewFile[]>) | undefined;
};

/**
 * Starts an execution by a call of a trigger that has a name, or returns the one that the same key started.
 * It is on disk when this resolves.
 * @throws {WeftError} VALIDATION_ERROR for a key of a wrong length; CONFLICT for a key with other content;
 * NOT_FOUND if the workflow was deleted
 */
export async function startCall(
  { engine, clock, failed }: StartCallDeps,
  { route, settings }: Pick<NamedEndpoint<unknown>, 'route' | 'settings'>,
  { kind, input, key, content = input, storeFiles }: CallToStart,
): Promise<string> {
  const { ownerId, workflowId, nodeId } = route;
  if (key !== null && (key.value === '' || key.value.length > MAX_KEY_LENGTH))
    throw createValidationError([{ field: key.field, issue: `must have 1 to ${MAX_KEY_LENGTH} characters` }]);
  const print = computeFingerprint(content);
  try {
    const started = await engine.start({
      ownerId,
      workflowId,
      workflowVersion: route.version,
      settings,
      trigger: { type: kind, node_id: nodeId },
      entry: nodeId,
      input,
      dedupe:
        key === null
          ? null
          : {
              scope: `${kind}:${workflowId}:${nodeId}`,
              key: key.value,
              fingerprint: print,
              expiresAt: clock.now() + KEY_LIFETIME_MS,
            },
      tick: null,
      parentId: null,
      retryOf: null,
      given: {},
      inputOf: null,
      until: null,
      ...(storeFiles === undefined ? {} : { files: await storeFiles() }),
    });
    if (started.kind === 'accepted') {
      started.watch.cancel();
      return started.id;
    }
    if (started.kind !== 'duplicate') throw createNotFoundError(kind === 'tool' ? 'tool' : 'model');
    if (started.fingerprint === print) return started.executionId;
  } catch (error) {
    // Not an error of the caller: the stored definition can no longer run.
    if (error instanceof WeftError && error.code === 'VALIDATION_ERROR') {
      failed({ ownerId, workflowId, nodeId, kind, issue: error.message });
      throw new WeftError('INTERNAL_ERROR');
    }
    throw addRetryAfter(error);
  }
  throw createConflictError('This idempotency key was used before with another content.');
}
