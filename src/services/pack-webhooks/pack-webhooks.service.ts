import { createNotFoundError, WeftError } from '../../contract/errors.ts';
import type { PackPayload } from '../../contract/packs/pack-call.ts';
import { readTriggerResult } from '../../contract/packs/read-trigger-result.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ids } from '../../ports/ids.ts';
import { limits } from '../../ports/limits.ts';
import type { NodeTypes } from '../../ports/node-types.ts';
import type { TriggerFailure } from '../../ports/notifier.ts';
import type { RateCounter } from '../../ports/rate-counter.ts';
import type { NodeRunner } from '../../ports/runner.ts';
import type { ScheduleRow } from '../../ports/store/active-triggers.ts';
import type { PackTriggerStore } from '../../ports/store/pack-triggers.ts';
import { findPackTrigger, findPackWebhook } from '../triggers/pack-poll.ts';
import { readCursor } from '../triggers/pack-webhook.ts';
import { createPackAttempt } from '../triggers/poll-attempt.ts';
import { createWebhookLimit } from '../webhooks/webhook-limit.ts';
import type { WebhookRequest, WebhookResponse } from '../webhooks/webhook-types.ts';
import { isHandshake, readPayload, toStoredRequest } from './pack-payload.ts';

const ADDRESS = /^[A-Za-z0-9_-]{32}$/;
/** ms; senders wait for the response to a handshake. */
const HANDSHAKE_TIMEOUT_MS = 20_000;
const MAX_HANDSHAKES = 8;

export type PackWebhooksDeps = {
  packTriggers: Pick<PackTriggerStore, 'find' | 'receive'>;
  /** The node types of all users. */
  types(): Promise<NodeTypes>;
  /** Runs a handshake with the secrets, egress policy and limits of a node. */
  runner: NodeRunner;
  clock: Clock;
  ids: Ids;
  toUrl(address: string): string;
  /** Receives a request to the address of a pack. @throws {WeftError} NOT_FOUND for an unknown address. */
  receiveForApp(call: WebhookRequest): Promise<WebhookResponse>;
  /** Maximum number of calls per workflow and minute; null means no limit. */
  rateLimit: number | null;
  calls: RateCounter;
  /** Reports that a handshake failed. */
  failed(problem: TriggerFailure): void;
  /** A trigger of the workflow received a request. */
  received(workflowId: string): void;
};

/**
 * Receives requests for triggers of packs. A request is stored before it is acknowledged, and processed
 * afterwards. A handshake, by which the service verifies the address, gets the response of the pack, and is
 * not stored.
 */
export function createPackWebhooks(deps: PackWebhooksDeps) {
  const { packTriggers, clock } = deps;
  const countCall = createWebhookLimit({ ...deps, findCallCount: () => undefined });
  let handshakes = 0;

  async function respondToHandshake(
    row: ScheduleRow & { cursor: string | null },
    address: string,
    payload: PackPayload,
  ): Promise<WebhookResponse> {
    const type = findPackTrigger(await deps.types(), row.spec);
    if (type === null) throw createNotFoundError('webhook');
    const signal = AbortSignal.timeout(HANDSHAKE_TIMEOUT_MS);
    const call = type.createCall({
      hook: 'handshake',
      state: row.cursor === null ? {} : readCursor(row.cursor).state,
      webhookUrl: deps.toUrl(address),
      payload,
    });
    const outcome = await deps.runner.run(
      createPackAttempt({ row, signal, now: clock.now() }, call, HANDSHAKE_TIMEOUT_MS),
    );
    if (outcome.kind === 'done') {
      const { response } = readTriggerResult(outcome.outputs['out'] ?? null);
      return {
        kind: 'handshake_response',
        response: response ?? { status: 200, headers: {}, body: null },
      };
    }
    const reason = outcome.kind === 'failed' ? outcome.error.message : 'It could not run now.';
    const { ownerId, workflowId, nodeId } = row;
    deps.failed({ ownerId, workflowId, nodeId, kind: 'webhook', issue: `The handshake failed: ${reason}` });
    throw new WeftError('EXECUTION_FAILED', 'The handshake failed.');
  }

  async function serveHandshake(
    row: ScheduleRow & { cursor: string | null },
    address: string,
    payload: PackPayload,
  ): Promise<WebhookResponse> {
    if (handshakes >= MAX_HANDSHAKES)
      throw new WeftError('RATE_LIMITED', 'Too many handshakes are running.', { reason: 'capacity' });
    handshakes++;
    try {
      return await respondToHandshake(row, address, payload);
    } finally {
      handshakes--;
    }
  }

  return {
    /**
     * Receives a request for an active trigger.
     * @throws {WeftError} NOT_FOUND for an unknown address, VALIDATION_ERROR, PAYLOAD_TOO_LARGE,
     * RATE_LIMITED, EXECUTION_FAILED when the pack cannot answer a handshake.
     */
    async receive(call: WebhookRequest): Promise<WebhookResponse> {
      const { path: address, method, body } = call;
      if (!ADDRESS.test(address)) throw createNotFoundError('webhook');
      const row = await packTriggers.find(address);
      if (row === null) return deps.receiveForApp(call);
      if (body.length > limits.packRequestBytes)
        throw new WeftError('PAYLOAD_TOO_LARGE', undefined, { limit: limits.packRequestBytes });
      const counting = countCall(row.workflowId);
      if (counting !== undefined) await counting;
      if (method === 'HEAD') return { kind: 'handshake_text', text: '', headers: {} };
      const request = await toStoredRequest(call);
      const handshake = findPackWebhook(await deps.types(), row.spec)?.handshake ?? null;
      if (handshake !== null) {
        const payload = await readPayload(request);
        if (isHandshake(handshake, payload)) return await serveHandshake(row, address, payload);
      }
      const id = deps.ids.next('request');
      const stored = await packTriggers.receive(
        address,
        { id, receivedAt: clock.now(), request },
        limits.packRequests,
      );
      if (stored === 'unknown') throw createNotFoundError('webhook');
      if (stored === 'full')
        throw new WeftError('RATE_LIMITED', `${limits.packRequests} requests wait to be processed.`, {
          reason: 'capacity',
          limit: limits.packRequests,
        });
      deps.received(row.workflowId);
      return { kind: 'handshake', body: { received: true } };
    },
  };
}
