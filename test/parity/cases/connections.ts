import type { Case } from './case.ts';
import { createResource, inputById } from './preparations.ts';

export const connectionCases: readonly Case[] = [
  {
    operation: 'createConnection',
    title: 'one of a provider',
    say: () => ({
      body: { name: 'HUB', provider: 'github', client_id: 'app', client_secret: 'hidden', scopes: ['repo'] },
    }),
  },
  {
    operation: 'createConnection',
    title: 'a name that is there',
    say: () => ({ body: { name: 'HUB', provider: 'github', client_id: 'app' } }),
  },
  {
    operation: 'createConnection',
    title: 'one without a person, with everything',
    say: () => ({
      body: {
        name: 'APP',
        grant_type: 'client_credentials',
        token_url: 'https://auth.example.com/token',
        client_id: 'app',
        client_secret: 'hidden',
        client_authentication: 'body',
        base_url: 'https://api.example.com',
        test_url: 'https://api.example.com/me',
        hosts: ['api.example.com'],
        description: 'd',
      },
    }),
  },
  {
    operation: 'createConnection',
    title: 'without addresses',
    say: () => ({ body: { name: 'NONE', client_id: 'app' } }),
  },
  {
    operation: 'createConnection',
    title: 'a wrong name',
    say: () => ({ body: { name: 'a b', provider: 'slack', client_id: 'app' } }),
  },
  {
    operation: 'createConnection',
    title: 'a way back to elsewhere',
    say: () => ({
      body: { name: 'BACK', provider: 'slack', client_id: 'app', return_to: 'https://evil.example/' },
    }),
  },
  {
    operation: 'createConnection',
    title: 'one of fields',
    say: () => ({
      body: {
        name: 'KEY',
        grant_type: 'fields',
        authentication: {
          type: 'custom',
          placements: [
            { in: 'header', name: 'X-App', field: 'app', prefix: 'App ' },
            { in: 'query', name: 'key', field: 'key' },
          ],
        },
        fields: { app: 'weft-17', key: 'k-7c9d04e5' },
        hosts: ['api.example.com'],
        test_url: 'https://api.example.com/me',
        test_method: 'HEAD',
        test_status: 204,
      },
    }),
  },
  {
    operation: 'createConnection',
    title: 'fields with errors',
    say: () => ({
      body: { name: 'BAD', grant_type: 'fields', authentication: { type: 'header' }, fields: { other: 'x' } },
    }),
  },
  {
    operation: 'createConnection',
    title: 'an unknown provider',
    say: () => ({ body: { name: 'BAD', provider: 'nobody', client_id: 'app' } }),
  },
  {
    operation: 'createConnection',
    title: 'a field of a provider that is not a host name',
    say: () => ({
      body: {
        name: 'BAD',
        provider: 'shopify',
        client_id: 'app',
        provider_fields: { shop: 'evil.example/' },
      },
    }),
  },
  {
    operation: 'updateConnection',
    title: 'another key',
    say: () => ({ params: { name: 'KEY' }, body: { fields: { key: 'k-1b2c3d4e' } } }),
  },
  {
    operation: 'refreshConnection',
    title: 'of fields',
    say: () => ({ params: { name: 'KEY' } }),
  },
  { operation: 'deleteConnection', title: 'of fields', say: () => ({ params: { name: 'KEY' } }) },
  {
    operation: 'listConnectionProviders',
    title: 'by a word',
    say: () => ({ query: { search: 'git', limit: 3 } }),
  },
  { operation: 'getConnectionProvider', title: 'one', say: () => ({ params: { id: 'shopify' } }) },
  { operation: 'getConnectionProvider', title: 'an unknown one', say: () => ({ params: { id: 'nobody' } }) },
  { operation: 'listConnections', title: 'two', say: () => ({}) },
  { operation: 'getConnection', title: 'one', say: () => ({ params: { name: 'HUB' } }) },
  {
    operation: 'updateConnection',
    title: 'its scopes',
    say: () => ({ params: { name: 'HUB' }, body: { scopes: ['gist'], description: 'other' } }),
  },
  {
    operation: 'updateConnection',
    title: 'its token endpoint, without the secret',
    say: () => ({ params: { name: 'HUB' }, body: { token_url: 'https://elsewhere.example.com/token' } }),
  },
  {
    operation: 'updateConnection',
    title: 'what is missing',
    say: () => ({ params: { name: 'NONE' }, body: {} }),
  },
  {
    operation: 'authorizeConnection',
    title: 'again',
    say: () => ({ params: { name: 'HUB' }, body: { return_to: '/connections' } }),
  },
  {
    operation: 'authorizeConnection',
    title: 'of the app itself',
    say: () => ({ params: { name: 'APP' }, body: {} }),
  },
  {
    operation: 'authorizeConnection',
    title: 'what is missing',
    say: () => ({ params: { name: 'NONE' }, body: {} }),
  },
  { operation: 'testConnection', title: 'without authorization', say: () => ({ params: { name: 'HUB' } }) },
  {
    operation: 'refreshConnection',
    title: 'without authorization',
    say: () => ({ params: { name: 'HUB' } }),
  },
  {
    operation: 'deleteConnection',
    title: 'whether it is used or not',
    say: () => ({ params: { name: 'APP' }, query: { force: true } }),
  },
  { operation: 'deleteConnection', title: 'it', say: () => ({ params: { name: 'HUB' } }) },
  {
    operation: 'createApiKey',
    title: 'one',
    say: () => ({ body: { name: 'k', scopes: ['workflows:read'], expires_at: '2999-01-01T00:00:00.000Z' } }),
  },
  {
    operation: 'createApiKey',
    title: 'an unknown scope',
    say: () => ({ body: { name: 'k', scopes: ['all'] } }),
  },
  {
    operation: 'createApiKey',
    title: 'expired before it begins',
    say: () => ({ body: { name: 'k', expires_at: '2001-01-01T00:00:00Z' } }),
  },
  {
    operation: 'deleteApiKey',
    title: 'one',
    prepare: async (call) => ({ id: await createResource(call, 'POST', '/api-keys', { name: 'gone' }) }),
    say: inputById,
  },
  {
    operation: 'createOAuthClient',
    title: 'one',
    say: () => ({ body: { name: 'c', grant_types: ['client_credentials'], scopes: ['workflows:read'] } }),
  },
  {
    operation: 'createOAuthClient',
    title: 'a redirect that is no address',
    say: () => ({ body: { name: 'c', redirect_uris: ['nowhere'], scopes: ['workflows:read'] } }),
  },
];
