import { createHash } from 'node:crypto';
import { validate } from '../../contract/validate.ts';
import type { Definition } from '../../contract/definition.ts';
import {
  createConflictError,
  createNotFoundError,
  createValidationError,
  WeftError,
} from '../../contract/errors.ts';
import type { Principal } from '../../contract/principal.ts';
import { ListenSchema, StopListeningQuery } from '../../contract/requests/listen.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import type { Clock } from '../../ports/clock.ts';
import { limits } from '../../ports/limits.ts';
import type { NodeTypes } from '../../ports/node-types.ts';
import type { WorkflowRow, WorkflowStore } from '../../ports/store/workflows.ts';
import type { TooManyTestWebhooks, TestWebhooks } from '../../ports/test-webhooks.ts';
import type { DefinitionErrors, DefinitionValidator } from '../workflows/validate-definition.ts';
import { requireScope } from '../authorize.ts';
import { readMethod, listTriggerNodes } from '../triggers/active-triggers.ts';
import type { WebhookRequest, WebhookResponse } from './webhook-types.ts';
import { splitEndpoint, getEndpointShape } from './webhook-endpoint.ts';
import { WebhookRouter } from './webhook-router.ts';
import { compileEndpoint, type CompiledEndpoint } from './compiled-endpoint.ts';
import { checkRunnable, requireRunnable } from '../workflows/lifecycle.ts';

/** How long a test URL is valid, ms. */
const TEST_URL_LIFETIME_MS = 120_000;

/** A new test URL. `expiresAt` in epoch ms. */
export type Listener = { url: string; method: string; expiresAt: number; nodeId: string };

type Found = { row: WorkflowRow; definition: Definition };
type Hook = { nodeId: string; method: string; segments: string[]; config: JsonObject };

export type ListenDeps = {
  workflows: Pick<WorkflowStore, 'get' | 'version'>;
  validator: DefinitionValidator;
  nodeTypes: NodeTypes;
  clock: Pick<Clock, 'now'>;
  /** The public base URL, ending with /v1. */
  baseUrl(): string;
  /** Returns a URL segment with at least 128 bits of randomness. */
  token(): string;
  /** Serves a call as the real endpoint would; awaits `proved` after authentication. */
  serve(
    target: CompiledEndpoint,
    params: Record<string, string>,
    call: WebhookRequest,
    onAuthenticated: () => Promise<void>,
  ): Promise<WebhookResponse>;
  addresses: TestWebhooks;
};

/**
 * Test URLs of webhook triggers: the author of a workflow opens one, sends a request to it and sees the
 * result, whatever the workflow's status. Only hashes of the tokens are stored.
 */
export function createListen(deps: ListenDeps) {
  const { clock, workflows, nodeTypes, addresses } = deps;

  /** Loads the newest version. */
  async function load(ownerId: string, workflowId: string): Promise<Found | null> {
    const row = await workflows.get(ownerId, workflowId);
    const stored = row === null ? null : await workflows.version(ownerId, workflowId, row.version);
    return row === null || stored === null ? null : { row, definition: stored.definition };
  }

  function validateDefinition({ row, definition }: Found): Promise<DefinitionErrors> {
    return deps.validator.findStored(row.ownerId, row.id, row.version, definition);
  }

  function listHooks(definition: Definition): Hook[] {
    return listTriggerNodes(definition, nodeTypes)
      .filter(({ type, config }) => type === 'webhook' && typeof config['endpoint'] === 'string')
      .map(({ entry, config }) => ({
        nodeId: entry.id,
        method: readMethod(config),
        segments: splitEndpoint(config['endpoint'] as string),
        config,
      }));
  }

  /** @throws {WeftError} NOT_FOUND when the newest version cannot serve the call. */
  function match(hook: Hook, call: WebhookRequest, rest: string): Record<string, string> {
    const router = new WebhookRouter<true>();
    const endpoint = hook.segments.join('/');
    router.add(hook.method, endpoint, true);
    // An endpoint without parameters needs no path after the token.
    const path = rest === '' && !endpoint.includes(':') ? endpoint : rest;
    const found =
      router.find(call.method, path) ?? (call.method === 'HEAD' ? router.find('GET', path) : null);
    if (found === null) throw createNotFoundError('webhook');
    return found.params;
  }

  return {
    /**
     * Opens a test URL for a webhook trigger of the newest version, which must have no errors.
     * @throws {WeftError} VALIDATION_ERROR, CONFLICT without a webhook trigger, RATE_LIMITED when too many
     * are open.
     */
    async open(principal: Principal, workflowId: string, input: unknown): Promise<Listener> {
      requireScope(principal, 'executions:write');
      const { node_id: wanted } = validate(ListenSchema, input);
      const found = await load(principal.userId, workflowId);
      if (found === null) throw createNotFoundError('workflow');
      const hook = chooseHook(listHooks(found.definition), wanted);
      requireRunnable(await validateDefinition(found), found.definition);
      const token = deps.token();
      const expiresAt = clock.now() + TEST_URL_LIFETIME_MS;
      const { nodeId, method, segments } = hook;
      const noRoom = await addresses.open(
        hashToken(token),
        { ownerId: principal.userId, workflowId, nodeId, expiresAt },
        { all: limits.listeners, ofOwner: limits.listenersPerOwner },
      );
      if (noRoom !== null) throw createTooManyError(noRoom, clock.now());
      const behind = segments.some((segment) => segment.startsWith(':')) ? `/${segments.join('/')}` : '';
      return { url: `${deps.baseUrl()}/listen/${token}${behind}`, method, expiresAt, nodeId };
    },

    /**
     * Closes the test URLs of a workflow, or of one of its triggers, and returns how many were open. A
     * trigger that no longer exists has none.
     */
    async close(principal: Principal, workflowId: string, input: unknown): Promise<number> {
      requireScope(principal, 'executions:write');
      const { node_id: nodeId = null } = validate(StopListeningQuery, input);
      if ((await workflows.get(principal.userId, workflowId)) === null) throw createNotFoundError('workflow');
      return addresses.close(principal.userId, workflowId, nodeId);
    },

    /**
     * Serves the one call of a test URL. `call.path` is the token and the path after it. A call that fails
     * before or during authentication, or for lack of capacity, does not use up the URL; any other call does.
     */
    async receive(call: WebhookRequest): Promise<WebhookResponse> {
      const slash = call.path.indexOf('/');
      const key = hashToken(slash < 0 ? call.path : call.path.slice(0, slash));
      const rest = slash < 0 ? '' : call.path.slice(slash + 1);
      const address = await addresses.find(key);
      if (address === null || address.expiresAt <= clock.now()) throw createNotFoundError('webhook');
      const found = await load(address.ownerId, address.workflowId);
      const hook =
        found === null ? undefined : listHooks(found.definition).find((one) => one.nodeId === address.nodeId);
      if (found === null || hook === undefined) throw createNotFoundError('webhook');
      const params = match(hook, call, rest);
      if (checkRunnable(await validateDefinition(found), found.definition).length > 0)
        throw createConflictError('The newest version of the workflow has errors.');
      const { row } = found;
      const route = {
        workflowId: row.id,
        nodeId: hook.nodeId,
        ownerId: row.ownerId,
        version: row.version,
        method: hook.method,
        endpoint: hook.segments.join('/'),
        shape: getEndpointShape(hook.segments),
      };
      const target = compileEndpoint(route, row.settings, hook.config);
      if (target === null) throw createNotFoundError('webhook');
      let isUsed = false;
      try {
        return await deps.serve(target, params, call, async () => {
          // Of two concurrent calls one is served. The URL may also have expired by now.
          if (address.expiresAt <= clock.now() || !(await addresses.take(key)))
            throw createNotFoundError('webhook');
          isUsed = true;
        });
      } catch (error) {
        const hadNoRoom = error instanceof WeftError && error.code === 'RATE_LIMITED';
        if (isUsed && hadNoRoom) await addresses.putBack(key, address);
        throw error;
      }
    },
  };
}

function createTooManyError({ limit, until }: TooManyTestWebhooks, now: number): WeftError {
  return new WeftError('RATE_LIMITED', 'Too many test URLs are open.', {
    reason: 'capacity',
    limit,
    retry_after: Math.max(1, Math.ceil((until - now) / 1000)),
  });
}

function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}

/** @throws {WeftError} VALIDATION_ERROR or CONFLICT when no webhook trigger matches. */
function chooseHook(hooks: readonly Hook[], wanted: string | undefined): Hook {
  const [first, second] = hooks;
  const ids = hooks.map(({ nodeId }) => nodeId).join(', ');
  if (first === undefined) throw createConflictError('The workflow has no enabled webhook trigger.');
  if (wanted === undefined && second !== undefined) {
    throw createValidationError([
      { field: 'node_id', issue: `is required, because there are several webhook triggers: ${ids}` },
    ]);
  }
  const hook = wanted === undefined ? first : hooks.find(({ nodeId }) => nodeId === wanted);
  if (hook !== undefined) return hook;
  throw createValidationError([
    { field: 'node_id', issue: `is not a webhook trigger of the workflow; these are ${ids}` },
  ]);
}
