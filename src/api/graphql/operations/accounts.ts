import { GraphQLBoolean, GraphQLNonNull, GraphQLString, type GraphQLArgumentConfig } from 'graphql';
import { PageQuery } from '../../../contract/paging.ts';
import {
  ApiKeyListResource,
  LoginResource,
  NewApiKeyResource,
  SecretListResource,
  SecretResource,
  UserListResource,
  UserResource,
} from '../../../contract/resources/accounts.ts';
import {
  ChangePasswordInput,
  CreateApiKeyInput,
  CreateUserInput,
  LoginInput,
  PutSecretInput,
  RefreshInput,
  UpdateUserInput,
} from '../../../contract/requests/accounts.ts';
import {
  presentApiKey,
  presentList,
  presentLogin,
  presentSecret,
  presentUser,
} from '../../serializers/accounts.ts';
import { answer, idArg, inputArg, queryArgs, type OperationBuilder } from './operation-builder.ts';
import { orNull, text, type Operation } from './operation.ts';
import type { GraphqlServices } from '../services.ts';

/** A password is hashed, which is dear on purpose: one in an operation, so that aliases do not make it a cheap guess. */
const HASH = { own: 600 };
const done = new GraphQLNonNull(GraphQLBoolean);

export function sessionOperations(kit: OperationBuilder, { auth, users }: GraphqlServices): Operation[] {
  const login = answer(kit, LoginResource);
  const user = answer(kit, UserResource);
  const credentials = inputArg(kit, 'input', 'LoginInput', LoginInput);
  const token = queryArgs(kit, RefreshInput);
  const password = inputArg(kit, 'input', 'ChangePasswordInput', ChangePasswordInput);
  return [
    {
      kind: 'mutation',
      name: 'login',
      scope: 'public',
      description: 'Logs in with email and password.',
      args: credentials.args,
      type: login.type,
      cost: HASH,
      resolve: async (args, { address }) =>
        login.show(presentLogin(await auth.login(credentials.read(args), address))),
    },
    {
      kind: 'mutation',
      name: 'refresh',
      scope: 'public',
      description:
        'Replaces a token, expired or not, by a new one: that of the Authorization header, or the argument.',
      args: token.args,
      type: login.type,
      cost: HASH,
      resolve: async (args, { bearer }) =>
        login.show(presentLogin(await auth.refresh(bearer, token.read(args)))),
    },
    {
      kind: 'mutation',
      name: 'logout',
      scope: 'session',
      description: 'Ends the current session.',
      type: done,
      async resolve(_args, principal) {
        await auth.logout(principal);
        return true;
      },
    },
    {
      kind: 'query',
      name: 'me',
      scope: 'any',
      description: 'The user whose credential this is.',
      type: user.type,
      resolve: async (_args, principal) => user.show(presentUser(await users.me(principal))),
    },
    {
      kind: 'mutation',
      name: 'changePassword',
      scope: 'session',
      description: 'Changes the own password; other sessions end.',
      args: password.args,
      type: done,
      cost: HASH,
      async resolve(args, principal) {
        await users.changePassword(principal, password.read(args));
        return true;
      },
    },
  ];
}

export function userOperations(kit: OperationBuilder, { users }: GraphqlServices): Operation[] {
  const user = answer(kit, UserResource);
  const userList = answer(kit, UserListResource);
  const page = queryArgs(kit, PageQuery);
  const create = inputArg(kit, 'input', 'CreateUserInput', CreateUserInput);
  const update = inputArg(kit, 'input', 'UpdateUserInput', UpdateUserInput, {
    leaveOut: ['id', 'created_at'],
  });
  const id = idArg('Of the user.');
  return [
    {
      kind: 'query',
      name: 'users',
      scope: 'admin',
      description: 'The users, newest first.',
      args: page.args,
      type: userList.type,
      cost: { limit: ['limit'] },
      resolve: async (args, principal) =>
        userList.show(presentList('users', await users.list(principal, page.read(args)), presentUser)),
    },
    {
      kind: 'query',
      name: 'user',
      scope: 'admin',
      description: 'One user; null when there is none of this id.',
      args: { id },
      type: kit.objects.of(UserResource).type,
      resolve: (args, principal) =>
        orNull(users.get(principal, text(args, 'id')).then((found) => user.show(presentUser(found)))),
    },
    {
      kind: 'mutation',
      name: 'createUser',
      scope: 'admin',
      description: 'Creates a user.',
      args: create.args,
      type: user.type,
      cost: HASH,
      resolve: async (args, principal) =>
        user.show(presentUser(await users.create(principal, create.read(args)))),
    },
    {
      kind: 'mutation',
      name: 'updateUser',
      scope: 'admin',
      description: 'Changes the given fields of a user.',
      args: { id, ...update.args },
      type: user.type,
      cost: HASH,
      resolve: async (args, principal) =>
        user.show(presentUser(await users.update(principal, text(args, 'id'), update.read(args)))),
    },
    {
      kind: 'mutation',
      name: 'deleteUser',
      scope: 'admin',
      description: 'Deletes a user with everything owned.',
      args: { id },
      type: done,
      async resolve(args, principal) {
        await users.remove(principal, text(args, 'id'));
        return true;
      },
    },
  ];
}

export function keyOperations(kit: OperationBuilder, { apiKeys, secrets }: GraphqlServices): Operation[] {
  const newKey = answer(kit, NewApiKeyResource);
  const keyList = answer(kit, ApiKeyListResource);
  const secret = answer(kit, SecretResource);
  const secretList = answer(kit, SecretListResource);
  const page = queryArgs(kit, PageQuery);
  const createKey = inputArg(kit, 'input', 'CreateApiKeyInput', CreateApiKeyInput);
  const put = inputArg(kit, 'input', 'PutSecretInput', PutSecretInput, {
    leaveOut: ['name', 'created_at', 'updated_at'],
  });
  const name: GraphQLArgumentConfig = {
    type: new GraphQLNonNull(GraphQLString),
    description: 'Of the secret.',
  };
  return [
    {
      kind: 'query',
      name: 'apiKeys',
      scope: 'session',
      description: 'The own API keys, newest first.',
      args: page.args,
      type: keyList.type,
      cost: { limit: ['limit'] },
      resolve: async (args, principal) =>
        keyList.show(presentList('api_keys', await apiKeys.list(principal, page.read(args)), presentApiKey)),
    },
    {
      kind: 'mutation',
      name: 'createApiKey',
      scope: 'session',
      description: 'Makes an API key; it is shown in this answer alone.',
      args: createKey.args,
      type: newKey.type,
      async resolve(args, principal) {
        const { row, key } = await apiKeys.create(principal, createKey.read(args));
        return newKey.show({ ...presentApiKey(row), key });
      },
    },
    {
      kind: 'mutation',
      name: 'deleteApiKey',
      scope: 'session',
      description: 'Deletes an API key; it stops working at once.',
      args: { id: idArg('Of the key.') },
      type: done,
      async resolve(args, principal) {
        await apiKeys.remove(principal, text(args, 'id'));
        return true;
      },
    },
    {
      kind: 'query',
      name: 'secrets',
      scope: 'secrets:read',
      description: 'The names of the own secrets, never their values.',
      args: page.args,
      type: secretList.type,
      cost: { limit: ['limit'] },
      resolve: async (args, principal) =>
        secretList.show(
          presentList('secrets', await secrets.list(principal, page.read(args)), presentSecret),
        ),
    },
    {
      kind: 'mutation',
      name: 'putSecret',
      scope: 'secrets:write',
      description: 'Stores or replaces a secret.',
      args: { name, ...put.args },
      type: secret.type,
      resolve: async (args, principal) =>
        secret.show(presentSecret(await secrets.put(principal, text(args, 'name'), put.read(args)))),
    },
    {
      kind: 'mutation',
      name: 'deleteSecret',
      scope: 'secrets:write',
      description: 'Deletes a secret.',
      args: { name },
      type: done,
      async resolve(args, principal) {
        await secrets.remove(principal, text(args, 'name'));
        return true;
      },
    },
  ];
}
