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
import {
  createOutputType,
  createIdArg,
  createInputArg,
  createQueryArgs,
  type OperationBuilder,
} from './operation-builder.ts';
import { toNullIfMissing, readText, type Operation } from './operation.ts';
import type { GraphqlServices } from '../services.ts';

/**
 * Password hashing is expensive by design. At most one per operation is allowed, so that aliases cannot speed
 * up guessing.
 */
const HASH_COST = { own: 600 };
const done = new GraphQLNonNull(GraphQLBoolean);

export function sessionOperations(builder: OperationBuilder, { auth, users }: GraphqlServices): Operation[] {
  const login = createOutputType(builder, LoginResource);
  const user = createOutputType(builder, UserResource);
  const credentials = createInputArg(builder, 'input', 'LoginInput', LoginInput);
  const token = createQueryArgs(builder, RefreshInput);
  const password = createInputArg(builder, 'input', 'ChangePasswordInput', ChangePasswordInput);
  return [
    {
      kind: 'mutation',
      name: 'login',
      scope: 'public',
      description: 'Logs in with email and password.',
      args: credentials.args,
      type: login.type,
      cost: HASH_COST,
      resolve: async (args, { origin }) =>
        login.show(presentLogin(await auth.login(credentials.read(args), origin))),
    },
    {
      kind: 'mutation',
      name: 'refresh',
      scope: 'public',
      description:
        'Replaces a token with a new one, even if it has expired: the token of the Authorization header, or the argument.',
      args: token.args,
      type: login.type,
      cost: HASH_COST,
      resolve: async (args, { bearer, origin }) =>
        login.show(presentLogin(await auth.refresh(bearer, token.read(args), origin))),
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
      description: 'The authenticated user.',
      type: user.type,
      resolve: async (_args, principal) => user.show(presentUser(await users.me(principal))),
    },
    {
      kind: 'mutation',
      name: 'changePassword',
      scope: 'session',
      description: 'Changes your password. Your other sessions end.',
      args: password.args,
      type: done,
      cost: HASH_COST,
      async resolve(args, principal) {
        await users.changePassword(principal, password.read(args));
        return true;
      },
    },
  ];
}

export function userOperations(builder: OperationBuilder, { users }: GraphqlServices): Operation[] {
  const user = createOutputType(builder, UserResource);
  const userList = createOutputType(builder, UserListResource);
  const page = createQueryArgs(builder, PageQuery);
  const create = createInputArg(builder, 'input', 'CreateUserInput', CreateUserInput);
  const update = createInputArg(builder, 'input', 'UpdateUserInput', UpdateUserInput, {
    leaveOut: ['id', 'created_at'],
  });
  const id = createIdArg('The id of the user.');
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
      description: 'A user; null when the id does not exist.',
      args: { id },
      type: builder.objects.of(UserResource).type,
      resolve: (args, principal) =>
        toNullIfMissing(
          users.get(principal, readText(args, 'id')).then((found) => user.show(presentUser(found))),
        ),
    },
    {
      kind: 'mutation',
      name: 'createUser',
      scope: 'admin',
      description: 'Creates a user.',
      args: create.args,
      type: user.type,
      cost: HASH_COST,
      resolve: async (args, principal) =>
        user.show(presentUser(await users.create(principal, create.read(args)))),
    },
    {
      kind: 'mutation',
      name: 'updateUser',
      scope: 'admin',
      description: 'Updates a user. Omitted fields keep their values.',
      args: { id, ...update.args },
      type: user.type,
      cost: HASH_COST,
      resolve: async (args, principal) =>
        user.show(presentUser(await users.update(principal, readText(args, 'id'), update.read(args)))),
    },
    {
      kind: 'mutation',
      name: 'deleteUser',
      scope: 'admin',
      description: 'Deletes a user with all their data.',
      args: { id },
      type: done,
      async resolve(args, principal) {
        await users.remove(principal, readText(args, 'id'));
        return true;
      },
    },
  ];
}

export function keyOperations(builder: OperationBuilder, { apiKeys, secrets }: GraphqlServices): Operation[] {
  const newKey = createOutputType(builder, NewApiKeyResource);
  const keyList = createOutputType(builder, ApiKeyListResource);
  const secret = createOutputType(builder, SecretResource);
  const secretList = createOutputType(builder, SecretListResource);
  const page = createQueryArgs(builder, PageQuery);
  const createKey = createInputArg(builder, 'input', 'CreateApiKeyInput', CreateApiKeyInput);
  const put = createInputArg(builder, 'input', 'PutSecretInput', PutSecretInput, {
    leaveOut: ['name', 'created_at', 'updated_at'],
  });
  const name: GraphQLArgumentConfig = {
    type: new GraphQLNonNull(GraphQLString),
    description: 'The name of the secret.',
  };
  return [
    {
      kind: 'query',
      name: 'apiKeys',
      scope: 'session',
      description: 'Your API keys, newest first.',
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
      description: 'Creates an API key. The key is returned only in this response.',
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
      description: 'Deletes an API key. It stops working immediately.',
      args: { id: createIdArg('The id of the key.') },
      type: done,
      async resolve(args, principal) {
        await apiKeys.remove(principal, readText(args, 'id'));
        return true;
      },
    },
    {
      kind: 'query',
      name: 'secrets',
      scope: 'secrets:read',
      description: 'The names of your secrets. Values are never returned.',
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
      description: 'Creates or replaces a secret.',
      args: { name, ...put.args },
      type: secret.type,
      resolve: async (args, principal) =>
        secret.show(presentSecret(await secrets.put(principal, readText(args, 'name'), put.read(args)))),
    },
    {
      kind: 'mutation',
      name: 'deleteSecret',
      scope: 'secrets:write',
      description: 'Deletes a secret.',
      args: { name },
      type: done,
      async resolve(args, principal) {
        await secrets.remove(principal, readText(args, 'name'));
        return true;
      },
    },
  ];
}
