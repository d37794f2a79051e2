import {
  UnauthorizedError,
  UnexpectedResponseError,
  createClient,
  type Client,
  type ClientOptions,
} from '../../sdk/src/index.ts';
import type { Environment } from '../config/environment.ts';
import {
  DEFAULT_PROFILE,
  changeProfiles,
  createUnknownProfileError,
  findProfilesFile,
  readProfiles,
  withoutCredential,
} from './profiles.ts';
import { UsageError } from './usage-error.ts';

/** The options of every command that calls the service. */
export type ConnectOptions = { readonly url?: string; readonly profile?: string; readonly json?: boolean };

export type Target = {
  readonly url: string;
  /** The profile in which a login is stored. */
  readonly profile: string;
  /** The source of the credential; null without one. */
  readonly source: 'WEFT_API_KEY' | 'WEFT_TOKEN' | 'profile' | null;
};

const DEFAULT_URL = 'http://127.0.0.1:8080';

/**
 * Returns the URL of the service and the credential to use. The credential of a profile is sent only to its
 * own service.
 * @throws {UsageError} for an unknown profile, unless it `mayBeNew`.
 */
export function readTarget(env: Environment, options: ConnectOptions, mayBeNew = false): Target {
  const { current, profiles } = readProfiles(findProfilesFile(env));
  const requested = options.profile ?? toNonEmpty(env['WEFT_PROFILE']);
  if (requested !== undefined && !mayBeNew && !Object.hasOwn(profiles, requested))
    throw createUnknownProfileError(requested, profiles);
  const name = requested ?? current;
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  const url = parseServiceUrl(options.url ?? toNonEmpty(env['WEFT_URL']) ?? profile?.url ?? DEFAULT_URL);
  const isProfileUrl = profile !== undefined && normalizeUrl(profile.url) === normalizeUrl(url);
  const source =
    toNonEmpty(env['WEFT_API_KEY']) !== undefined
      ? 'WEFT_API_KEY'
      : toNonEmpty(env['WEFT_TOKEN']) !== undefined
        ? 'WEFT_TOKEN'
        : isProfileUrl && (profile.apiKey !== undefined || profile.session !== undefined)
          ? 'profile'
          : null;
  return { url, profile: name === '' ? DEFAULT_PROFILE : name, source };
}

/** Creates a client that accepts responses of a Weft service only. */
export function createWeftClient(options: ClientOptions): Client {
  return createClient({ ...options, headers: { 'user-agent': 'weft-command' }, fetch: fetchFromWeft });
}

/** Every response of the service contains its version; a response without one is from another server. */
async function fetchFromWeft(...request: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...request);
  // A proxy in front of the service may report that it is busy or unavailable: such requests are retried.
  const mayBeProxy = response.status === 429 || response.status >= 500;
  if (response.headers.has('weft-version') || mayBeProxy) return response;
  await response.body?.cancel();
  throw new UnexpectedResponseError({
    status: response.status,
    message: `The server at ${new URL(response.url).origin} (with status ${response.status}) is not a Weft service; --url or WEFT_URL sets its URL.`,
  });
}

/** Creates a client with the credential of the target, which stores a renewed session in its profile. */
export function createClientFor(env: Environment, target: Target): Client {
  const file = findProfilesFile(env);
  const { url: baseUrl } = target;
  if (target.source === 'WEFT_API_KEY') return createWeftClient({ baseUrl, apiKey: env['WEFT_API_KEY'] });
  // A function, so that the token is never renewed: the variable would then hold a rotated token.
  if (target.source === 'WEFT_TOKEN')
    return createWeftClient({ baseUrl, token: () => env['WEFT_TOKEN'] ?? '' });
  const profile = target.source === null ? undefined : readProfiles(file).profiles[target.profile];
  if (profile?.apiKey !== undefined) return createWeftClient({ baseUrl, apiKey: profile.apiKey });
  return createWeftClient({
    baseUrl,
    session: profile?.session,
    onSession: (session) =>
      changeProfiles(file, (all) =>
        session === null
          ? withoutCredential(all, target.profile)
          : { ...all, profiles: { ...all.profiles, [target.profile]: { url: target.url, session } } },
      ),
  });
}

/**
 * Creates a client for a command that needs a credential.
 * @throws {UnauthorizedError} without one; the message contains the command that logs in.
 */
export function connect(env: Environment, options: ConnectOptions): Client {
  const target = readTarget(env, options);
  if (target.source === null) {
    throw new UnauthorizedError('UNAUTHORIZED', {
      message: `You are not logged in at ${target.url}. Log in with: weft login --url ${target.url}. In a script, set WEFT_API_KEY.`,
    });
  }
  return createClientFor(env, target);
}

function parseServiceUrl(text: string): string {
  if (!/^https?:\/\/./.test(text) || !URL.canParse(text)) {
    throw new UsageError(
      `${JSON.stringify(text)} is not the URL of a service, such as https://weft.example.com.`,
    );
  }
  return text.replace(/\/+$/, '').replace(/\/v1$/, '');
}

function normalizeUrl(text: string): string {
  return URL.canParse(text) ? new URL(parseServiceUrl(text)).href : text;
}

function toNonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : text;
}
