import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Client, InteractionResults, Provider } from 'oidc-provider';
import { oauthPaths } from '../../auth/oauth/paths.ts';
import { isDocumentUrl } from '../../auth/oauth/document-url.ts';
import { isLoopbackUri, redirectTarget } from '../../auth/oauth/redirect-uri.ts';
import { WeftError } from '../../contract/errors.ts';
import { adminScopes, isScope, type Scope } from '../../contract/scopes.ts';
import type { AccountStore } from '../../ports/store/accounts/accounts.ts';
import type { UserRow } from '../../ports/store/accounts/users.ts';
import type { AuditActor, AuditLog } from '../../services/audit/audit-log.ts';
import type { AuthService } from '../../services/accounts/auth.service.ts';
import { readOrigin } from '../http/request-origin.ts';
import { renderErrorPage } from './error-page.ts';
import {
  renderConsentPage,
  loginPage,
  renderProblemPage,
  type AskingClient,
  type FormFrame,
  type Page,
} from './pages.ts';

/** What the library throws when the metadata document of a client cannot be read or is not valid. */
const DOCUMENT_ERRORS = new Set(['InvalidClient', 'InvalidClientMetadata', 'TemporarilyUnavailable']);
/** Maximum bytes of a form. */
const MAX_FORM_BYTES = 16 * 1024;

export type InteractionsOptions = {
  readonly provider: () => Promise<Provider>;
  readonly auth: Pick<AuthService, 'verifyPassword'>;
  readonly accounts: Pick<AccountStore, 'userById'>;
  readonly audit: Pick<AuditLog, 'describe' | 'record'>;
  /** The key of the CSRF tokens in forms. */
  readonly formKey: Uint8Array;
};

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;
/** One step of an authorization that waits for the user. */
type Step = {
  readonly provider: Provider;
  readonly interaction: Interaction;
  readonly client: AskingClient;
  readonly frame: FormFrame;
};

/** The browser has no such authorization step, or the step has ended. */
class StepNotFoundError extends Error {}

/** The metadata document of the client could not be read again. */
class DocumentUnreadableError extends Error {}

/** Errors of the library are identified by name, because the library is only loaded when needed. */
function readErrorName(error: unknown): string {
  return error instanceof Error ? error.name : '';
}

/** Adds the login and consent pages, which are plain forms without scripts. */
export function mountInteractions(app: FastifyInstance, options: InteractionsOptions): void {
  const { auth, accounts } = options;
  const url = `${oauthPaths.interaction}/:uid`;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: MAX_FORM_BYTES },
    (_request, body, done) => done(null, new URLSearchParams(String(body))),
  );
  app.get(url, async (request, reply) =>
    sendPage(reply, 200, await renderPage(await findStep(request, reply), null)),
  );
  app.post(url, { bodyLimit: MAX_FORM_BYTES }, async (request, reply) => {
    const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
    const step = await findStep(request, reply);
    if (!isValidForm(request, step, form)) {
      return sendPage(
        reply,
        403,
        renderProblemPage(
          'This form is not valid',
          `It was not sent by a page of this Weft at ${step.provider.issuer}.`,
          request.id,
        ),
      );
    }
    switch (form.get('do')) {
      case 'deny':
        return finish(step, request, reply, {
          error: 'access_denied',
          error_description: 'The user denied access.',
        });
      case 'switch':
        return restart(step, request, reply);
      case 'allow':
        if (step.interaction.prompt.name === 'consent') return consent(step, form, request, reply);
        break;
      default:
        if (step.interaction.prompt.name === 'login') return login(step, form, request, reply);
    }
    return sendPage(reply, 400, await renderPage(step, 'Choose an option.'));
  });
  app.setErrorHandler((error, request, reply) => {
    if (error instanceof DocumentUnreadableError)
      return sendPage(reply, 503, renderErrorPage({ error: 'invalid_client_metadata' }, request.id));
    if (!(error instanceof StepNotFoundError)) throw error;
    return sendPage(
      reply,
      400,
      renderProblemPage(
        'This page has expired',
        'The login took too long, is already complete, or was started in another browser.',
        request.id,
      ),
    );
  });

  /** @throws {NoSuchStep} when the browser has no such step. */
  async function findStep(request: FastifyRequest, reply: FastifyReply): Promise<Step> {
    const provider = await options.provider();
    const interaction = await provider.interactionDetails(request.raw, reply.raw).catch((error: unknown) => {
      throw readErrorName(error) === 'SessionNotFound' ? new StepNotFoundError() : error;
    });
    const { uid } = request.params as { uid: string };
    const { client_id: clientId, redirect_uri: redirectUri } = interaction.params;
    const client = typeof clientId === 'string' ? await findClient(provider, clientId) : undefined;
    if (interaction.uid !== uid || client === undefined || typeof redirectUri !== 'string')
      throw new StepNotFoundError();
    return {
      provider,
      interaction,
      client: {
        name: client.clientName ?? client.clientId,
        target: redirectTarget(redirectUri),
        isLocalTarget: isLoopbackUri(redirectUri),
        registration: readRegistration(client),
      },
      frame: {
        action: `${oauthPaths.interaction}/${uid}`,
        proof: createProof(uid),
        leadsTo: toPolicySource(redirectUri),
      },
    };
  }

  /** The CSRF token of a step. The step is bound to the browser by its cookie. */
  function createProof(uid: string): string {
    return createHmac('sha256', options.formKey).update(uid).digest('base64url');
  }

  function isValidForm(request: FastifyRequest, step: Step, form: URLSearchParams): boolean {
    const { origin } = request.headers;
    if (origin !== undefined && origin !== new URL(step.provider.issuer).origin) return false;
    const grantedScopes = Buffer.from(form.get('proof') ?? '');
    const expected = Buffer.from(step.frame.proof);
    return grantedScopes.length === expected.length && timingSafeEqual(grantedScopes, expected);
  }

  async function findAccount({ interaction }: Step): Promise<UserRow | null> {
    const id = interaction.session?.accountId;
    return id === undefined ? null : await accounts.userById(id);
  }

  async function renderPage(step: Step, message: string | null, email = ''): Promise<Page> {
    const { frame, client, interaction } = step;
    const account = await findAccount(step);
    if (interaction.prompt.name !== 'consent' || account === null) {
      const hint = interaction.params['login_hint'];
      const suggestedEmail = email === '' && typeof hint === 'string' ? hint.slice(0, 254) : email;
      return loginPage(frame, client, { email: suggestedEmail, account: account?.email ?? null, message });
    }
    const isAdmin = account.role === 'admin';
    return renderConsentPage(frame, client, readRequestedScopes(interaction), {
      email: account.email,
      isAdmin,
      message,
    });
  }

  async function login(step: Step, form: URLSearchParams, request: FastifyRequest, reply: FastifyReply) {
    const account = await findAccount(step);
    // The account of this login was deleted, so the login must start again.
    if (step.interaction.session?.accountId !== undefined && account === null)
      return restart(step, request, reply);
    const email = account?.email ?? form.get('email') ?? '';
    let user: UserRow;
    try {
      user = await auth.verifyPassword({ email, password: form.get('password') ?? '' }, readOrigin(request));
    } catch (error) {
      if (!(error instanceof WeftError) || error.status >= 500) throw error;
      const retryAfter = error.details['retry_after'];
      if (typeof retryAfter === 'number') reply.header('retry-after', String(retryAfter));
      const isBusy = error.code === 'RATE_LIMITED';
      const message = isBusy ? error.message : 'The email or the password is wrong.';
      return sendPage(
        reply,
        isBusy ? 429 : 400,
        await renderPage(step, message, account === null ? email : ''),
      );
    }
    return finish(step, request, reply, { login: { accountId: user.id, amr: ['pwd'] } });
  }

  async function consent(step: Step, form: URLSearchParams, request: FastifyRequest, reply: FastifyReply) {
    const { provider, interaction } = step;
    const account = await findAccount(step);
    if (account === null) return restart(step, request, reply);
    const requestedScopes = readRequestedScopes(interaction);
    const chosen = new Set(form.getAll('scope'));
    const grantedScopes = requestedScopes.filter(
      (scope) =>
        scope === 'openid' || (chosen.has(scope) && (!adminScopes.has(scope) || account.role === 'admin')),
    );
    if (grantedScopes.length === 0) {
      return sendPage(reply, 400, await renderPage(step, 'Select at least one permission, or choose Deny.'));
    }
    const grant = new provider.Grant({
      accountId: account.id,
      clientId: String(interaction.params['client_id']),
    });
    grant.addOIDCScope(grantedScopes.join(' '));
    const rejectedScopes = requestedScopes.filter((scope) => !grantedScopes.includes(scope));
    if (rejectedScopes.length > 0) grant.rejectOIDCScope(rejectedScopes.join(' '));
    for (const resource of readResources(interaction)) {
      grant.addResourceScope(resource, grantedScopes.join(' '));
      if (rejectedScopes.length > 0) grant.rejectResourceScope(resource, rejectedScopes.join(' '));
    }
    const actor: AuditActor = {
      userId: account.id,
      email: account.email,
      credential: 'password',
      origin: readOrigin(request),
    };
    // Before the grant, so that no grant is without an event.
    await options.audit.record(
      options.audit.describe(
        actor,
        'oauth_grant.created',
        { id: grant.clientId ?? '', name: step.client.name },
        { scopes: grantedScopes },
      ),
    );
    return finish(step, request, reply, { consent: { grantId: await grant.save() } });
  }
}

/** Ends the login of this browser and restarts the authorization. */
async function restart(
  { provider, interaction }: Step,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const session = await provider.Session.get(provider.createContext(request.raw, reply.raw));
  await session.destroy();
  await interaction.destroy();
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(interaction.params)) {
    if (typeof value === 'string' && name !== 'login_hint') query.set(name, value);
  }
  return redirect(reply, `${oauthPaths.authorization}?${query.toString()}`);
}

async function finish(
  { provider }: Step,
  request: FastifyRequest,
  reply: FastifyReply,
  result: InteractionResults,
): Promise<FastifyReply> {
  return redirect(reply, await provider.interactionResult(request.raw, reply.raw, result));
}

async function findClient(provider: Provider, clientId: string): Promise<Client | undefined> {
  try {
    return await provider.Client.find(clientId);
  } catch (error) {
    // Errors of the store are those of this service.
    if (isDocumentUrl(clientId) && DOCUMENT_ERRORS.has(readErrorName(error)))
      throw new DocumentUnreadableError('the document cannot be read', { cause: error });
    throw error;
  }
}

function readRegistration(client: Client): AskingClient['registration'] {
  const { clientId, registered_by: by } = client;
  if (isDocumentUrl(clientId)) return { documentUrl: new URL(clientId) };
  return by === 'user' ? 'user' : 'itself';
}

function readRequestedScopes(interaction: Interaction): (Scope | 'openid')[] {
  const { scope } = interaction.params;
  const names = typeof scope === 'string' ? [...new Set(scope.split(' '))] : [];
  return names.filter((name): name is Scope | 'openid' => name === 'openid' || isScope(name));
}

/** The resources that the tokens will be for. */
function readResources({ params: { resource } }: Interaction): string[] {
  return [resource].flat().filter((name) => typeof name === 'string');
}

/** The redirect URI as a source of a content security policy, which does not support IPv6 addresses. */
function toPolicySource(redirectUri: string): string {
  const { protocol, host, origin } = new URL(redirectUri);
  if (protocol !== 'http:' && protocol !== 'https:') return protocol;
  return host.startsWith('[') ? protocol : origin;
}

function redirect(reply: FastifyReply, to: string): FastifyReply {
  return reply.code(303).header('location', to).header('cache-control', 'no-store').send('');
}

function sendPage(reply: FastifyReply, status: number, page: Page): FastifyReply {
  return reply.code(status).headers(page.headers).send(page.html);
}
