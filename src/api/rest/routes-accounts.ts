import { limits } from '../../ports/limits.ts';
import {
  ApiKeyListResource,
  CookieLoginResource,
  LoginResource,
  NewApiKeyResource,
  SecretListResource,
  SecretResource,
  UserListResource,
  UserResource,
} from '../../contract/resources/accounts.ts';
import { DeletedByNameResource, DeletedResource, DoneResource } from '../../contract/resources/resource.ts';
import { readBearer, createUnauthorizedError } from '../../auth/authenticate.ts';
import { PageQuery } from '../../contract/paging.ts';
import {
  ChangePasswordInput,
  CreateApiKeyInput,
  CreateUserInput,
  LoginInput,
  PutSecretInput,
  RefreshInput,
  UpdateUserInput,
} from '../../contract/requests/accounts.ts';
import type { ApiKeysService } from '../../services/accounts/api-keys.service.ts';
import type { AuthService } from '../../services/accounts/auth.service.ts';
import type { SecretsService } from '../../services/credentials/secrets.service.ts';
import type { UsersService } from '../../services/accounts/users.service.ts';
import {
  presentApiKey,
  presentCookieLogin,
  presentList,
  presentLogin,
  presentSecret,
  presentUser,
} from '../serializers/accounts.ts';
import { CSRF_HEADER, type SessionCookies } from '../http/session-cookie.ts';
import type { Context, Route } from './route.ts';

export type AccountServices = {
  readonly auth: AuthService;
  readonly users: UsersService;
  readonly apiKeys: ApiKeysService;
  readonly secrets: SecretsService;
  readonly cookies: SessionCookies;
};

const takesProof = [
  {
    name: CSRF_HEADER,
    description:
      'Required; any value is accepted. `Sec-Fetch-Site` or `Origin` must name the origin of the service.',
  },
];
const cookieHeader = [{ name: 'Set-Cookie', description: 'The session cookie.' }];

/** Routes for login, users, API keys and secrets. */
export function accountRoutes({ auth, users, apiKeys, secrets, cookies }: AccountServices): Route[] {
  return [
    {
      method: 'POST',
      path: '/auth/login',
      operation: 'login',
      status: 200,
      scope: 'public',
      summary: 'Log in with email and password.',
      response: LoginResource,
      errors: ['UNAUTHORIZED'],
      body: LoginInput,
      bodyLimit: limits.publicBodyBytes,
      handle: async (ctx) => presentLogin(await auth.login(ctx.body, ctx.origin)),
    },
    {
      method: 'POST',
      path: '/auth/refresh',
      operation: 'refreshSession',
      status: 200,
      scope: 'public',
      summary: 'Replace a token with a new one, even if it has expired.',
      response: LoginResource,
      errors: ['UNAUTHORIZED'],
      body: RefreshInput,
      bodyLimit: limits.publicBodyBytes,
      bodyOptional: true,
      handle: async (ctx) => presentLogin(await auth.refresh(readBearerToken(ctx), ctx.body, ctx.origin)),
    },
    {
      method: 'POST',
      path: '/auth/logout',
      operation: 'logout',
      isRateLimitExempt: true,
      status: 200,
      scope: 'session',
      summary: 'End the current session.',
      response: DoneResource,
      handle: async ({ principal }) => {
        await auth.logout(principal);
        return { success: true };
      },
    },
    {
      method: 'POST',
      path: '/auth/session',
      operation: 'openCookieSession',
      status: 200,
      scope: 'public',
      summary: 'Log in from a page of the service. The token is set as an HttpOnly cookie.',
      response: CookieLoginResource,
      errors: ['UNAUTHORIZED', 'FORBIDDEN'],
      body: LoginInput,
      bodyLimit: limits.publicBodyBytes,
      requestHeaders: takesProof,
      responseHeaders: cookieHeader,
      async handle({ request, body, origin, setHeader }) {
        cookies.requireProof(request);
        const login = await auth.login(body, origin);
        const earlier = cookies.read(request);
        if (earlier !== undefined) await auth.endSession(earlier, origin, 'The browser signed in again.');
        setHeader('set-cookie', cookies.formatSetCookie(request, login.token));
        return presentCookieLogin(login);
      },
    },
    {
      method: 'POST',
      path: '/auth/session/refresh',
      operation: 'refreshCookieSession',
      status: 200,
      scope: 'public',
      summary: 'Replace the token of the session cookie with a new one, even if it has expired.',
      response: CookieLoginResource,
      errors: ['UNAUTHORIZED', 'FORBIDDEN'],
      bodyLimit: limits.publicBodyBytes,
      requestHeaders: takesProof,
      responseHeaders: cookieHeader,
      async handle({ request, origin, setHeader }) {
        cookies.requireProof(request);
        const token = cookies.read(request);
        if (token === undefined) throw createUnauthorizedError('The session cookie is missing.');
        const login = await auth.refresh(token, {}, origin);
        setHeader('set-cookie', cookies.formatSetCookie(request, login.token));
        return presentCookieLogin(login);
      },
    },
    {
      method: 'DELETE',
      path: '/auth/session',
      operation: 'closeCookieSession',
      status: 200,
      scope: 'public',
      summary: 'End the session of the cookie, if any, and remove the cookie.',
      response: DoneResource,
      errors: ['FORBIDDEN'],
      bodyLimit: limits.publicBodyBytes,
      requestHeaders: takesProof,
      responseHeaders: cookieHeader,
      async handle({ request, origin, setHeader }) {
        cookies.requireProof(request);
        const token = cookies.read(request);
        if (token !== undefined) await auth.endSession(token, origin, 'The user signed out.');
        setHeader('set-cookie', cookies.cleared(request));
        return { success: true };
      },
    },
    {
      method: 'GET',
      path: '/users/me',
      operation: 'getCurrentUser',
      status: 200,
      scope: 'any',
      summary: 'Get the authenticated user.',
      response: UserResource,
      handle: async ({ principal }) => presentUser(await users.me(principal)),
    },
    {
      method: 'PUT',
      path: '/users/me/password',
      operation: 'changePassword',
      status: 200,
      scope: 'session',
      summary: 'Change your password. Your other sessions end.',
      response: DoneResource,
      body: ChangePasswordInput,
      handle: async ({ principal, body }) => {
        await users.changePassword(principal, body);
        return { success: true };
      },
    },
    {
      method: 'GET',
      path: '/users',
      operation: 'listUsers',
      status: 200,
      scope: 'admin',
      summary: 'List users, newest first.',
      response: UserListResource,
      query: PageQuery,
      handle: async ({ principal, query }) =>
        presentList('users', await users.list(principal, query), presentUser),
    },
    {
      method: 'POST',
      path: '/users',
      operation: 'createUser',
      status: 201,
      scope: 'admin',
      summary: 'Create a user.',
      response: UserResource,
      errors: ['CONFLICT'],
      body: CreateUserInput,
      handle: async ({ principal, body }) => presentUser(await users.create(principal, body)),
    },
    {
      method: 'GET',
      path: '/users/{id}',
      operation: 'getUser',
      status: 200,
      scope: 'admin',
      summary: 'Get a user.',
      response: UserResource,
      handle: async ({ principal, params }) => presentUser(await users.get(principal, params['id'] ?? '')),
    },
    {
      method: 'PUT',
      path: '/users/{id}',
      operation: 'updateUser',
      status: 200,
      scope: 'admin',
      summary: 'Update a user. Omitted fields keep their values.',
      response: UserResource,
      errors: ['CONFLICT'],
      body: UpdateUserInput,
      handle: async ({ principal, params, body }) =>
        presentUser(await users.update(principal, params['id'] ?? '', body)),
    },
    {
      method: 'DELETE',
      path: '/users/{id}',
      operation: 'deleteUser',
      status: 200,
      scope: 'admin',
      summary: 'Delete a user with all their data.',
      response: DeletedResource,
      errors: ['CONFLICT'],
      handle: async ({ principal, params: { id = '' } }) => {
        await users.remove(principal, id);
        return { id, deleted: true };
      },
    },
    {
      method: 'GET',
      path: '/api-keys',
      operation: 'listApiKeys',
      status: 200,
      scope: 'session',
      summary: 'List your API keys, newest first.',
      response: ApiKeyListResource,
      query: PageQuery,
      handle: async ({ principal, query }) =>
        presentList('api_keys', await apiKeys.list(principal, query), presentApiKey),
    },
    {
      method: 'POST',
      path: '/api-keys',
      operation: 'createApiKey',
      status: 201,
      scope: 'session',
      summary: 'Create an API key. The key is returned only in this response.',
      response: NewApiKeyResource,
      errors: ['CONFLICT'],
      body: CreateApiKeyInput,
      handle: async ({ principal, body }) => {
        const { row, key } = await apiKeys.create(principal, body);
        return { ...presentApiKey(row), key };
      },
    },
    {
      method: 'DELETE',
      path: '/api-keys/{id}',
      operation: 'deleteApiKey',
      status: 200,
      scope: 'session',
      summary: 'Delete an API key. It stops working immediately.',
      response: DeletedResource,
      handle: async ({ principal, params: { id = '' } }) => {
        await apiKeys.remove(principal, id);
        return { id, deleted: true };
      },
    },
    {
      method: 'GET',
      path: '/secrets',
      operation: 'listSecrets',
      status: 200,
      scope: 'secrets:read',
      summary: 'List the names of your secrets. Values are never returned.',
      response: SecretListResource,
      query: PageQuery,
      handle: async ({ principal, query }) =>
        presentList('secrets', await secrets.list(principal, query), presentSecret),
    },
    {
      method: 'PUT',
      path: '/secrets/{name}',
      operation: 'putSecret',
      status: 200,
      scope: 'secrets:write',
      summary: 'Create or replace a secret.',
      response: SecretResource,
      errors: ['CONFLICT'],
      body: PutSecretInput,
      handle: async ({ principal, params, body }) =>
        presentSecret(await secrets.put(principal, params['name'] ?? '', body)),
    },
    {
      method: 'DELETE',
      path: '/secrets/{name}',
      operation: 'deleteSecret',
      status: 200,
      scope: 'secrets:write',
      summary: 'Delete a secret.',
      response: DeletedByNameResource,
      handle: async ({ principal, params: { name = '' } }) => {
        await secrets.remove(principal, name);
        return { name, deleted: true };
      },
    },
  ];
}

/** The token of the Authorization header; null without the header. */
function readBearerToken({ headers }: Context): string | null {
  return headers.authorization === undefined ? null : readBearer(headers.authorization);
}
