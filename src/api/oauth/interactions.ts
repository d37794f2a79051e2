import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { InteractionResults, Provider } from 'oidc-provider';
import { oauthPaths } from '../../auth/oauth/paths.ts';
import { redirectTarget } from '../../auth/oauth/redirect-uri.ts';
import { WeftError } from '../../contract/errors.ts';
import { isScope, type Scope } from '../../contract/scopes.ts';
import type { PeopleStore } from '../../ports/store/accounts.ts';
import type { UserRow } from '../../ports/store/users.ts';
import type { AuthService } from '../../services/accounts/auth.service.ts';
import {
  consentPage,
  loginPage,
  problemPage,
  type AskingClient,
  type FormFrame,
  type Page,
} from './pages.ts';

/** Bytes of a form. */
const FORM = 16 * 1024;

export type InteractionsOptions = {
  readonly provider: () => Promise<Provider>;
  readonly auth: Pick<AuthService, 'prove'>;
  readonly people: Pick<PeopleStore, 'userById'>;
  /** Of the proof that a form is ours. */
  readonly formKey: Uint8Array;
};

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;
/** One step of an authorization that waits for its person. */
type Step = {
  readonly provider: Provider;
  readonly interaction: Interaction;
  readonly client: AskingClient;
  readonly frame: FormFrame;
};

/** This browser is at no such step of an authorization, or not any more. */
class NoSuchStep extends Error {}

/** Errors of the library are told by their names: it is loaded only when it is needed. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}

/** The pages where people log in and consent: plain forms, for which no script is needed. */
export function mountInteractions(app: FastifyInstance, options: InteractionsOptions): void {
  const { auth, people } = options;
  const url = `${oauthPaths.interaction}/:uid`;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: FORM },
    (_request, body, done) => done(null, new URLSearchParams(String(body))),
  );
  app.get(url, async (request, reply) => show(reply, 200, await pageOf(await stepOf(request, reply), null)));
  app.post(url, { bodyLimit: FORM }, async (request, reply) => {
    const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
    const step = await stepOf(request, reply);
    if (!isOurs(request, step, form)) {
      return show(
        reply,
        403,
        problemPage(
          'This form is not valid',
          `It did not come from a page of this Weft at ${step.provider.issuer}.`,
          request.id,
        ),
      );
    }
    switch (form.get('do')) {
      case 'deny':
        return finish(step, request, reply, {
          error: 'access_denied',
          error_description: 'The user did not allow it.',
        });
      case 'switch':
        return startAgain(step, request, reply);
      case 'allow':
        if (step.interaction.prompt.name === 'consent') return consent(step, form, request, reply);
        break;
      default:
        if (step.interaction.prompt.name === 'login') return login(step, form, request, reply);
    }
    return show(reply, 400, await pageOf(step, 'Please choose again.'));
  });
  app.setErrorHandler((error, request, reply) => {
    if (!(error instanceof NoSuchStep)) throw error;
    return show(
      reply,
      400,
      problemPage(
        'This page has expired',
        'Logging in took too long, was finished before, or began in another browser.',
        request.id,
      ),
    );
  });

  /** @throws {NoSuchStep} when this browser is at no such step. */
  async function stepOf(request: FastifyRequest, reply: FastifyReply): Promise<Step> {
    const provider = await options.provider();
    const interaction = await provider.interactionDetails(request.raw, reply.raw).catch((error: unknown) => {
      throw nameOf(error) === 'SessionNotFound' ? new NoSuchStep() : error;
    });
    const { uid } = request.params as { uid: string };
    const { client_id: clientId, redirect_uri: redirectUri } = interaction.params;
    const client = typeof clientId === 'string' ? await provider.Client.find(clientId) : undefined;
    if (interaction.uid !== uid || client === undefined || typeof redirectUri !== 'string')
      throw new NoSuchStep();
    return {
      provider,
      interaction,
      client: {
        name: client.clientName ?? client.clientId,
        target: redirectTarget(redirectUri),
        isRegisteredByUser: client['registered_by'] === 'user',
      },
      frame: {
        action: `${oauthPaths.interaction}/${uid}`,
        proof: proofOf(uid),
        leadsTo: sourceOf(redirectUri),
      },
    };
  }

  /** Bound to this step, which is bound to this browser by its cookie. */
  function proofOf(uid: string): string {
    return createHmac('sha256', options.formKey).update(uid).digest('base64url');
  }

  function isOurs(request: FastifyRequest, step: Step, form: URLSearchParams): boolean {
    const { origin } = request.headers;
    if (origin !== undefined && origin !== new URL(step.provider.issuer).origin) return false;
    const given = Buffer.from(form.get('proof') ?? '');
    const expected = Buffer.from(step.frame.proof);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  async function accountOf({ interaction }: Step): Promise<UserRow | null> {
    const id = interaction.session?.accountId;
    return id === undefined ? null : await people.userById(id);
  }

  async function pageOf(step: Step, message: string | null, email = ''): Promise<Page> {
    const { frame, client, interaction } = step;
    const account = await accountOf(step);
    if (interaction.prompt.name !== 'consent' || account === null) {
      const hint = interaction.params['login_hint'];
      const guess = email === '' && typeof hint === 'string' ? hint.slice(0, 254) : email;
      return loginPage(frame, client, { email: guess, account: account?.email ?? null, message });
    }
    const isAdmin = account.role === 'admin';
    return consentPage(frame, client, askedOf(interaction), { email: account.email, isAdmin, message });
  }

  async function login(step: Step, form: URLSearchParams, request: FastifyRequest, reply: FastifyReply) {
    const account = await accountOf(step);
    // A login whose account is gone can only begin anew.
    if (step.interaction.session?.accountId !== undefined && account === null)
      return startAgain(step, request, reply);
    const email = account?.email ?? form.get('email') ?? '';
    let user: UserRow;
    try {
      user = await auth.prove({ email, password: form.get('password') ?? '' }, request.ip);
    } catch (error) {
      if (!(error instanceof WeftError) || error.status >= 500) throw error;
      const retryAfter = error.details['retry_after'];
      if (typeof retryAfter === 'number') reply.header('retry-after', String(retryAfter));
      const isBusy = error.code === 'RATE_LIMITED';
      const message = isBusy ? error.message : 'The email or the password is wrong.';
      return show(reply, isBusy ? 429 : 400, await pageOf(step, message, account === null ? email : ''));
    }
    return finish(step, request, reply, { login: { accountId: user.id, amr: ['pwd'] } });
  }

  async function consent(step: Step, form: URLSearchParams, request: FastifyRequest, reply: FastifyReply) {
    const { provider, interaction } = step;
    const account = await accountOf(step);
    if (account === null) return startAgain(step, request, reply);
    const asked = askedOf(interaction);
    const chosen = new Set(form.getAll('scope'));
    const given = asked.filter(
      (scope) => scope === 'openid' || (chosen.has(scope) && (scope !== 'admin' || account.role === 'admin')),
    );
    if (given.length === 0) {
      return show(reply, 400, await pageOf(step, 'Choose at least one thing that it may do, or deny.'));
    }
    const grant = new provider.Grant({
      accountId: account.id,
      clientId: String(interaction.params['client_id']),
    });
    grant.addOIDCScope(given.join(' '));
    const refused = asked.filter((scope) => !given.includes(scope));
    if (refused.length > 0) grant.rejectOIDCScope(refused.join(' '));
    return finish(step, request, reply, { consent: { grantId: await grant.save() } });
  }
}

/** Ends this browser's login, and begins the same authorization once more. */
async function startAgain(
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

function askedOf(interaction: Interaction): (Scope | 'openid')[] {
  const { scope } = interaction.params;
  const names = typeof scope === 'string' ? [...new Set(scope.split(' '))] : [];
  return names.filter((name): name is Scope | 'openid' => name === 'openid' || isScope(name));
}

/** The address as a source of a content security policy, which knows no IPv6. */
function sourceOf(redirectUri: string): string {
  const { protocol, host, origin } = new URL(redirectUri);
  if (protocol !== 'http:' && protocol !== 'https:') return protocol;
  return host.startsWith('[') ? protocol : origin;
}

function redirect(reply: FastifyReply, to: string): FastifyReply {
  return reply.code(303).header('location', to).header('cache-control', 'no-store').send('');
}

function show(reply: FastifyReply, status: number, page: Page): FastifyReply {
  return reply.code(status).headers(page.headers).send(page.html);
}
