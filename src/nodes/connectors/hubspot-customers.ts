import type { Json, JsonObject } from '../../lib/json/json.ts';
import { readProblem } from './connector-call.ts';
import { readBaseUrl, readJsonCredentials } from './credentials.ts';
import type { DataField, DataShape } from './data-fields.ts';
import { pickOtherFields, printValue } from './data-fields.ts';
import type { ConnectorService } from './connector-service.ts';

const CONTACTS = '/crm/v3/objects/contacts';
/** HubSpot's page size limit. */
const MAX_PAGE_SIZE = 200;

/** Common field names of all services, mapped to HubSpot names. Other names are passed through. */
const PROPERTIES: Readonly<Record<string, string>> = {
  first_name: 'firstname',
  last_name: 'lastname',
  job_title: 'jobtitle',
};
const toPropertyName = (name: string): string => PROPERTIES[name] ?? name;

const id: DataField = { kind: 'id', description: 'The id of the contact.', required: true };
const idProperty: DataField = {
  kind: 'text',
  description: 'The property that id refers to, such as email. Default: the record id.',
};
const properties: DataField = { kind: 'texts', description: 'The properties to return.' };

const anyProperties: DataShape = { fields: {}, others: 'scalars' };
const contactProperties: DataShape = { fields: { id, id_property: idProperty }, others: 'scalars' };
const searchFields: DataShape = {
  fields: {
    query: { kind: 'text', description: 'Text to search for in the default properties.', max: 3_000 },
    properties,
    limit: { kind: 'count', description: 'Maximum number of contacts.', max: MAX_PAGE_SIZE },
    after: { kind: 'id', description: 'The start of the page: paging.next.after of the previous page.' },
  },
  others: 'scalars',
};

/** HubSpot contacts (CRM API, version 3). */
export const hubspotCustomers: ConnectorService = {
  title: 'HubSpot',
  holds: 'JSON with the token of a private app',
  credentials: (secret) => readJsonCredentials(secret, ['token'], ['base_url']),
  ofConnection: ({ token, apiUrl }) => ({ token, ...(apiUrl === null ? {} : { base_url: apiUrl }) }),
  baseUrl: ({ base_url = 'https://api.hubapi.com' }) => readBaseUrl('base_url', base_url),
  authorize: ({ token }) => ({ authorization: `Bearer ${token}` }),
  problem: readProblem,
  operations: {
    create: {
      description: 'creates a contact with the fields as its properties',
      method: 'POST',
      path: CONTACTS,
      data: anyProperties,
      body: (data) => ({ properties: buildProperties(data) }),
    },
    get: {
      description: 'returns the contact id, with the listed properties',
      method: 'GET',
      path: `${CONTACTS}/{id}`,
      data: { fields: { id, id_property: idProperty, properties }, others: 'none' },
      query: (data) => ({ ...buildIdQuery(data), properties: readNames(data)?.join(',') }),
    },
    update: {
      description: 'updates the other fields as properties of the contact id',
      method: 'PATCH',
      path: `${CONTACTS}/{id}`,
      data: contactProperties,
      query: buildIdQuery,
      body: (data) => ({ properties: buildProperties(pickOtherFields(data, contactProperties)) }),
    },
    delete: {
      description: 'archives the contact id',
      method: 'DELETE',
      path: `${CONTACTS}/{id}`,
      data: { fields: { id }, others: 'none' },
    },
    search: {
      description: `returns contacts whose properties equal the fields (a list matches any of its values); also query, properties, limit (at most ${MAX_PAGE_SIZE}) and after`,
      method: 'POST',
      path: `${CONTACTS}/search`,
      data: searchFields,
      body: buildSearch,
    },
  },
};

/** null clears a property, which HubSpot represents as "". A list selects several values. */
function buildProperties(data: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      toPropertyName(name),
      Array.isArray(value) ? value.map(printValue).join(';') : (value ?? ''),
    ]),
  );
}

function buildSearch(data: JsonObject): Json {
  const { query, limit, after } = data;
  const filters = Object.entries(pickOtherFields(data, searchFields)).map(([name, value]): JsonObject => {
    const propertyName = toPropertyName(name);
    if (value === null) return { propertyName, operator: 'NOT_HAS_PROPERTY' };
    return Array.isArray(value)
      ? { propertyName, operator: 'IN', values: value.map(printValue) }
      : { propertyName, operator: 'EQ', value: printValue(value) };
  });
  const names = readNames(data);
  return {
    filterGroups: filters.length === 0 ? [] : [{ filters }],
    ...(names === undefined ? {} : { properties: names }),
    ...(query === undefined || query === null ? {} : { query }),
    ...(limit === undefined || limit === null ? {} : { limit }),
    ...(after === undefined || after === null ? {} : { after: printValue(after) }),
  };
}

function buildIdQuery({ id_property: name }: JsonObject): { idProperty?: string } {
  return typeof name === 'string' ? { idProperty: toPropertyName(name) } : {};
}

function readNames({ properties: names }: JsonObject): string[] | undefined {
  return Array.isArray(names) ? names.map((name) => toPropertyName(printValue(name))) : undefined;
}
