import type { Json, JsonObject } from '../../lib/json/json.ts';
import { usualProblem } from './connector-call.ts';
import { readBaseUrl, readJsonCredentials } from './credentials.ts';
import type { DataField, DataShape } from './data-fields.ts';
import { otherFields, printed } from './data-fields.ts';
import type { ConnectorService } from './connector-service.ts';

const CONTACTS = '/crm/v3/objects/contacts';
/** HubSpot's own bounds of a page. */
const MAX_PAGE = 200;

/** Names that all services understand, in HubSpot's spelling; any other name is one of its properties. */
const PROPERTIES: Readonly<Record<string, string>> = {
  first_name: 'firstname',
  last_name: 'lastname',
  job_title: 'jobtitle',
};
const nameOf = (name: string): string => PROPERTIES[name] ?? name;

const id: DataField = { kind: 'id', description: 'The id of the contact.', required: true };
const idProperty: DataField = {
  kind: 'text',
  description: 'The property that id is a value of, such as email; the record id unless given.',
};
const properties: DataField = { kind: 'texts', description: 'The properties to give back.' };

const none: DataShape = { fields: {}, others: 'scalars' };
const one: DataShape = { fields: { id, id_property: idProperty }, others: 'scalars' };
const found: DataShape = {
  fields: {
    query: { kind: 'text', description: 'Words that any of the usual properties holds.', max: 3_000 },
    properties,
    limit: { kind: 'count', description: 'How many at most.', max: MAX_PAGE },
    after: { kind: 'id', description: 'Where the page begins: paging.next.after of the page before.' },
  },
  others: 'scalars',
};

/** Contacts of HubSpot (CRM API, version 3). */
export const hubspotCustomers: ConnectorService = {
  title: 'HubSpot',
  holds: 'JSON with the token of a private app',
  credentials: (secret) => readJsonCredentials(secret, ['token'], ['base_url']),
  ofConnection: ({ token, apiUrl }) => ({ token, ...(apiUrl === null ? {} : { base_url: apiUrl }) }),
  baseUrl: ({ base_url = 'https://api.hubapi.com' }) => readBaseUrl('base_url', base_url),
  authorize: ({ token }) => ({ authorization: `Bearer ${token}` }),
  problem: usualProblem,
  operations: {
    create: {
      description: 'a contact with the fields as its properties',
      method: 'POST',
      path: CONTACTS,
      data: none,
      body: (data) => ({ properties: propertiesOf(data) }),
    },
    get: {
      description: 'the contact id, with properties when these are listed',
      method: 'GET',
      path: `${CONTACTS}/{id}`,
      data: { fields: { id, id_property: idProperty, properties }, others: 'none' },
      query: (data) => ({ ...byProperty(data), properties: namesOf(data)?.join(',') }),
    },
    update: {
      description: 'sets the other fields as properties of the contact id',
      method: 'PATCH',
      path: `${CONTACTS}/{id}`,
      data: one,
      query: byProperty,
      body: (data) => ({ properties: propertiesOf(otherFields(data, one)) }),
    },
    delete: {
      description: 'archives the contact id',
      method: 'DELETE',
      path: `${CONTACTS}/{id}`,
      data: { fields: { id }, others: 'none' },
    },
    search: {
      description: `contacts whose properties equal the fields (a list: one of its values); also query, properties, limit (to ${MAX_PAGE}), after`,
      method: 'POST',
      path: `${CONTACTS}/search`,
      data: found,
      body: searchOf,
    },
  },
};

/** Null empties a property, which HubSpot says with "". A list is a choice of several values. */
function propertiesOf(data: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      nameOf(name),
      Array.isArray(value) ? value.map(printed).join(';') : (value ?? ''),
    ]),
  );
}

function searchOf(data: JsonObject): Json {
  const { query, limit, after } = data;
  const filters = Object.entries(otherFields(data, found)).map(([name, value]): JsonObject => {
    const propertyName = nameOf(name);
    if (value === null) return { propertyName, operator: 'NOT_HAS_PROPERTY' };
    return Array.isArray(value)
      ? { propertyName, operator: 'IN', values: value.map(printed) }
      : { propertyName, operator: 'EQ', value: printed(value) };
  });
  const names = namesOf(data);
  return {
    filterGroups: filters.length === 0 ? [] : [{ filters }],
    ...(names === undefined ? {} : { properties: names }),
    ...(query === undefined || query === null ? {} : { query }),
    ...(limit === undefined || limit === null ? {} : { limit }),
    ...(after === undefined || after === null ? {} : { after: printed(after) }),
  };
}

function byProperty({ id_property: name }: JsonObject): { idProperty?: string } {
  return typeof name === 'string' ? { idProperty: nameOf(name) } : {};
}

function namesOf({ properties: names }: JsonObject): string[] | undefined {
  return Array.isArray(names) ? names.map((name) => nameOf(printed(name))) : undefined;
}
