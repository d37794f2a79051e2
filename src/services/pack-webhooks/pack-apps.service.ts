import { createHash } from 'node:crypto';
import type { SecretBox } from '../../auth/secret-box.ts';
import { createConflictError, createNotFoundError, WeftError } from '../../contract/errors.ts';
import { hasAppWebhooks, type NpmManifest } from '../../contract/packs/npm-packs.ts';
import type { PackAppEvent, PackListener } from '../../contract/packs/pack-call.ts';
import type { Principal } from '../../contract/principal.ts';
import { PutPackAppSchema } from '../../contract/requests/pack.ts';
import { validate } from '../../contract/validate.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ids } from '../../ports/ids.ts';
import { limits } from '../../ports/limits.ts';
import type { TriggerFailure } from '../../ports/notifier.ts';
import { PackAppRequestError, type PackRunner } from '../../ports/pack-runner.ts';
import type { PackApp, PackAppStore } from '../../ports/store/pack-triggers.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { requireScope } from '../authorize.ts';
import type { PackCatalog } from '../packs/pack-catalog.ts';
import type { WebhookRequest, WebhookResponse } from '../webhooks/webhook-types.ts';
import { readPayload, toStoredRequest } from './pack-payload.ts';

/** Headers in which senders state when they sent a request, in seconds since the epoch. */
const TIME_HEADERS = ['x-slack-request-timestamp', 'webhook-timestamp'];
/** Maximum difference to the clock of the sender, ms. */
const MAX_AGE_MS = 300_000;

export type PackAppView = { pack: string; url: string; updatedAt: number };

export type PackAppsDeps = {
  packApps: PackAppStore;
  catalog: Pick<PackCatalog, 'packs' | 'manifest'>;
  packRunner: Pick<PackRunner, 'readAppRequest'>;
  box: SecretBox;
  readonly audit: Pick<AuditLog, 'describe'>;
  clock: Pick<Clock, 'now'>;
  ids: Ids;
  /** A part of a URL that cannot be guessed, of 32 characters. */
  token(): string;
  /** The URL of an address. Null: no public URL is configured. */
  toPackUrl(address: string): string | null;
  /** A trigger of the workflow received a request. */
  received(workflowId: string): void;
  /** Reports that a request was not stored for a trigger. */
  failed(problem: TriggerFailure): void;
  report(message: string, error: unknown): void;
};

export type PackApps = ReturnType<typeof createPackApps>;

/**
 * Apps of packs: a service sends the events of all accounts to one address of a pack, signed with one secret.
 * The pack verifies each request and names its event and account, and the request is stored for the triggers
 * that listen to them before it is acknowledged.
 */
export function createPackApps({ packApps, catalog, packRunner, box, clock, ...deps }: PackAppsDeps) {
  let reading = 0;

  /** The newest version reads requests. @throws {WeftError} NOT_FOUND; CONFLICT for a pack without apps */
  async function find(name: string): Promise<NpmManifest> {
    const newest = (await catalog.packs()).findLast((pack) => pack.name === name);
    const manifest = newest === undefined ? null : await catalog.manifest(name, newest.version);
    if (manifest === null) throw createNotFoundError('pack');
    if (manifest.kind === 'npm' && hasAppWebhooks(manifest)) return manifest;
    throw createConflictError(
      `The newest version of ${name} has no trigger that receives the events of an app.`,
      {
        pack: name,
      },
    );
  }

  function toView({ pack, address, updatedAt }: PackApp): PackAppView {
    return { pack, url: requireUrl(address), updatedAt };
  }

  function requireUrl(address: string): string {
    const url = deps.toPackUrl(address);
    if (url === null)
      throw createConflictError('WEFT_PUBLIC_URL is not set, so no service can send events.', {});
    return url;
  }

  async function read(app: PackApp, request: JsonObject): Promise<PackAppEvent> {
    const { name, version, package: stated } = await find(app.pack);
    if (reading >= limits.packAppRequests)
      throw new WeftError('RATE_LIMITED', 'Too many requests are being read.', { reason: 'capacity' });
    reading++;
    try {
      return await packRunner.readAppRequest(
        {
          pack: { name, version, integrity: stated.integrity },
          url: requireUrl(app.address),
          secret: box.open('', nameSecret(app.pack), app.secret),
          payload: await readPayload(request),
        },
        AbortSignal.timeout(limits.packAppRequestMs),
      );
    } catch (error) {
      if (!(error instanceof PackAppRequestError)) throw error;
      deps.report(`the pack ${name} could not read a request of its app`, error);
      throw new WeftError('EXECUTION_FAILED', 'The pack could not read the request.');
    } finally {
      reading--;
    }
  }

  /** A trigger whose requests are not processed must not hold up those of other users. */
  async function store(pack: string, listener: PackListener, request: JsonObject): Promise<void> {
    const most = { requests: limits.packRequests, triggers: limits.packListenersAtOnce };
    const stored = { id: deps.ids.next('request'), receivedAt: clock.now(), request };
    for (let after: string | null = ''; after !== null;) {
      const result = await packApps.receive({ ...listener, pack, after }, stored, most);
      for (const { workflowId } of result.stored) deps.received(workflowId);
      for (const { ownerId, workflowId, nodeId } of result.full)
        deps.failed({
          ownerId,
          workflowId,
          nodeId,
          kind: 'webhook',
          issue: `An event was discarded: ${limits.packRequests} requests wait to be processed.`,
        });
      after = result.last;
    }
  }

  return {
    /** @throws {WeftError} NOT_FOUND for a pack whose app is not set up */
    async get(principal: Principal, pack: string): Promise<PackAppView> {
      requireScope(principal, 'admin');
      const app = await packApps.get(pack);
      if (app === null) throw createNotFoundError('app of the pack');
      return toView(app);
    },

    /**
     * Stores the signing secret of an app. Its address is chosen the first time, and then kept.
     * @throws {WeftError} NOT_FOUND; CONFLICT for a pack without apps, or without a public URL
     */
    async put(principal: Principal, pack: string, input: unknown): Promise<PackAppView> {
      requireScope(principal, 'admin');
      const { signing_secret: secret } = validate(PutPackAppSchema, input);
      await find(pack);
      const address = deps.token();
      requireUrl(address);
      const app = await packApps.put(
        { pack, address, secret: box.seal('', nameSecret(pack), secret), updatedAt: clock.now() },
        deps.audit.describe(principal, 'pack.app_updated', { id: pack, name: pack }, {}),
      );
      if (app === null) throw createNotFoundError('pack');
      return toView(app);
    },

    /** @throws {WeftError} NOT_FOUND; CONFLICT while active triggers listen to the app */
    async remove(principal: Principal, pack: string): Promise<void> {
      requireScope(principal, 'admin');
      const event = deps.audit.describe(principal, 'pack.app_deleted', { id: pack, name: pack }, {});
      const result = await packApps.remove(pack, event);
      if (result === 'missing') throw createNotFoundError('app of the pack');
      if (result !== 'removed')
        throw createConflictError(
          `The app is in use by ${result} active trigger${result === 1 ? '' : 's'}. Deactivate their workflows first.`,
          { triggers: result },
        );
    },

    /**
     * Receives a request of a service at the address of a pack.
     * @throws {WeftError} NOT_FOUND for an unknown address, UNAUTHORIZED for a wrong signature or a request
     * that is too old, VALIDATION_ERROR, PAYLOAD_TOO_LARGE, RATE_LIMITED, EXECUTION_FAILED when the pack
     * cannot read the request.
     */
    async receive(call: WebhookRequest): Promise<WebhookResponse> {
      const app = await packApps.find(call.path);
      if (app === null) throw createNotFoundError('webhook');
      if (call.body.length > limits.packAppRequestBytes)
        throw new WeftError('PAYLOAD_TOO_LARGE', undefined, { limit: limits.packAppRequestBytes });
      if (call.method === 'HEAD') return { kind: 'handshake_text', text: '', headers: {} };
      const request = { ...(await toStoredRequest(call)), delivery: nameDelivery(call) };
      if (isOutdated(request, clock.now()))
        throw new WeftError('UNAUTHORIZED', 'The time of the request is too far from the present.');
      const { isVerified, listener, reply } = await read(app, request);
      if (!isVerified) throw new WeftError('UNAUTHORIZED', 'The signature of the request is wrong.');
      if (listener !== null) await store(app.pack, listener, request);
      return reply === null
        ? { kind: 'handshake', body: { received: true } }
        : { kind: 'handshake_response', response: reply };
    },
  };
}

function nameSecret(pack: string): string {
  return `app of the pack ${pack}`;
}

/** A service repeats a delivery with the same body. Services do not sign the query and most headers. */
function nameDelivery({ query, body }: WebhookRequest): string {
  const signed = body.length > 0 ? body : query;
  return `body:${createHash('sha256').update(signed).digest('hex')}`;
}

/** A request that states no time is not outdated. */
function isOutdated({ headers }: JsonObject, now: number): boolean {
  const given = headers as JsonObject;
  return TIME_HEADERS.some((name) => {
    const seconds = given[name];
    return seconds !== undefined && !(Math.abs(now - Number(seconds) * 1_000) <= MAX_AGE_MS);
  });
}
