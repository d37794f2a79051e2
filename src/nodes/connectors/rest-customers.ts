import type { JsonObject } from '../../lib/json/json.ts';
import { readProblem } from './connector-call.ts';
import { readBaseUrl, readJsonCredentials } from './credentials.ts';
import type { DataField, DataShape } from './data-fields.ts';
import { pickOtherFields } from './data-fields.ts';
import type { ConnectorService } from './connector-service.ts';

const id: DataField = { kind: 'id', description: 'The id of the customer.', required: true };
const anyFields: DataShape = { fields: {}, others: 'any' };
const withId: DataShape = { fields: { id }, others: 'any' };

/** Customers in a plain REST service, for example one of your own. */
export const restCustomers: ConnectorService = {
  title: 'REST',
  holds: 'JSON with base_url and token',
  credentials: (secret) => readJsonCredentials(secret, ['base_url', 'token'], []),
  ofConnection: ({ token, apiUrl }) =>
    apiUrl === null ? 'must be a connection with a base_url' : { token, base_url: apiUrl },
  baseUrl: ({ base_url = '' }) => readBaseUrl('base_url', base_url),
  authorize: ({ token }) => ({ authorization: `Bearer ${token}` }),
  problem: readProblem,
  operations: {
    create: {
      description: 'POST /customers with the data',
      method: 'POST',
      path: '/customers',
      data: anyFields,
      body: (data) => data,
    },
    get: {
      description: 'GET /customers/{id}',
      method: 'GET',
      path: '/customers/{id}',
      data: { fields: { id }, others: 'none' },
    },
    update: {
      description: 'PATCH /customers/{id} with the other fields',
      method: 'PATCH',
      path: '/customers/{id}',
      data: withId,
      body: (data): JsonObject => pickOtherFields(data, withId),
    },
    delete: {
      description: 'DELETE /customers/{id}',
      method: 'DELETE',
      path: '/customers/{id}',
      data: { fields: { id }, others: 'none' },
    },
    search: {
      description: 'GET /customers with the fields as its query',
      method: 'GET',
      path: '/customers',
      data: { fields: {}, others: 'scalars' },
      query: (data) => data,
    },
  },
};
