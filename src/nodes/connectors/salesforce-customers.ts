import type { FieldError } from '../../contract/errors.ts';
import { appendKey } from '../../lib/json/json-path.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { isObject } from '../../lib/json/json.ts';
import { CredentialsError, readBaseUrl, readJsonCredentials } from './credentials.ts';
import type { DataField, DataShape } from './data-fields.ts';
import { otherFields, printed } from './data-fields.ts';
import type { ConnectorService, Problem } from './connector-service.ts';
import { soqlLiteral } from './soql.ts';

const CONTACT = '/sobjects/Contact';
const DEFAULT_VERSION = 'v60.0';
/** One page of a query's answer, by Salesforce's own bound. */
const MAX_PAGE = 2_000;

/** Names that all services understand, in Salesforce's spelling; any other name is one of its fields. */
const FIELDS: Readonly<Record<string, string>> = {
  id: 'Id',
  first_name: 'FirstName',
  last_name: 'LastName',
  email: 'Email',
  phone: 'Phone',
  job_title: 'Title',
};
const SHOWN = ['id', 'first_name', 'last_name', 'email', 'phone', 'job_title'];
const nameOf = (name: string): string => FIELDS[name] ?? name;
/** A field, of a custom one too, or one of a related object: Account.Name, Region__c. */
const FIELD_NAME = /^[A-Za-z]\w{0,79}(?:\.[A-Za-z]\w{0,79}){0,4}$/;

const id: DataField = { kind: 'id', description: 'The id of the contact.', required: true };
const properties: DataField = { kind: 'texts', description: 'The fields to give back.' };
const one: DataShape = { fields: { id }, others: 'scalars' };
const found: DataShape = {
  fields: {
    properties,
    limit: { kind: 'count', description: 'How many at most; 100 unless given.', max: MAX_PAGE },
  },
  others: 'scalars',
};

/** Contacts of Salesforce (REST API: sObject rows, and queries in SOQL). */
export const salesforceCustomers: ConnectorService = {
  title: 'Salesforce',
  holds: `JSON with instance_url, token and optionally api_version (${DEFAULT_VERSION})`,
  credentials: (secret) => readJsonCredentials(secret, ['instance_url', 'token'], ['api_version']),
  ofConnection: ({ token, apiUrl }) =>
    apiUrl === null
      ? 'names a connection of which the address of its Salesforce is not known; give it a base_url'
      : { token, instance_url: apiUrl },
  baseUrl({ instance_url = '', api_version: version = DEFAULT_VERSION }) {
    if (!/^v\d{1,3}\.\d$/.test(version))
      throw new CredentialsError(`the secret's api_version takes a text such as ${DEFAULT_VERSION}`);
    return `${readBaseUrl('instance_url', instance_url)}/services/data/${version}`;
  },
  authorize: ({ token }) => ({ authorization: `Bearer ${token}` }),
  problem: problemOf,
  check: fieldFaults,
  operations: {
    create: {
      description: 'a contact with the fields',
      method: 'POST',
      path: CONTACT,
      data: { fields: {}, others: 'scalars' },
      body: fieldsOf,
    },
    get: {
      description: 'the contact id, with properties when these are listed',
      method: 'GET',
      path: `${CONTACT}/{id}`,
      data: { fields: { id, properties }, others: 'none' },
      query: (data) => ({ fields: Array.isArray(data['properties']) ? namesOf(data).join(',') : undefined }),
    },
    update: {
      description: 'sets the other fields of the contact id',
      method: 'PATCH',
      path: `${CONTACT}/{id}`,
      data: one,
      body: (data) => fieldsOf(otherFields(data, one)),
    },
    delete: {
      description: 'deletes the contact id',
      method: 'DELETE',
      path: `${CONTACT}/{id}`,
      data: { fields: { id }, others: 'none' },
    },
    search: {
      description: `contacts whose fields equal the data (a list: one of its values); also properties, limit (to ${MAX_PAGE})`,
      method: 'GET',
      path: '/query',
      data: found,
      query: (data) => ({ q: soqlOf(data) }),
    },
  },
};

function fieldsOf(data: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      nameOf(name),
      Array.isArray(value) ? value.map(printed).join(';') : value,
    ]),
  );
}

/** Names are checked before; values are only ever literals. */
function soqlOf(data: JsonObject): string {
  const conditions = Object.entries(otherFields(data, found)).map(([name, value]) => {
    const field = nameOf(name);
    if (!Array.isArray(value)) return `${field} = ${soqlLiteral(value)}`;
    return `${field} IN (${value.map(soqlLiteral).join(', ')})`;
  });
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
  const limit = typeof data['limit'] === 'number' ? data['limit'] : 100;
  return `SELECT ${namesOf(data).join(', ')} FROM Contact${where} LIMIT ${limit}`;
}

function namesOf({ properties: names }: JsonObject): string[] {
  return (Array.isArray(names) && names.length > 0 ? names : SHOWN).map((name) => nameOf(printed(name)));
}

function fieldFaults(data: JsonObject): FieldError[] {
  const issue = 'is not a name that a field of Salesforce can have';
  const faults = Object.keys(data)
    .filter((name) => !FIELD_NAME.test(name))
    .map((name) => ({ field: appendKey('data', name), issue }));
  const { properties: names } = data;
  for (const [i, name] of (Array.isArray(names) ? names : []).entries())
    if (!FIELD_NAME.test(printed(name))) faults.push({ field: `data.properties[${i}]`, issue });
  for (const [name, value] of Object.entries(data))
    if (Array.isArray(value) && value.length === 0 && name !== 'properties')
      faults.push({ field: appendKey('data', name), issue: 'takes a list that is not empty' });
  return faults;
}

/** Errors come as a list of {errorCode, message}; the limit of calls comes as a 403. */
function problemOf(status: number, body: Json): Problem | null {
  if (status < 400) return null;
  const first = Array.isArray(body) ? body[0] : body;
  if (!isObject(first)) return null;
  const { errorCode: code, message } = first;
  return {
    ...(code === 'REQUEST_LIMIT_EXCEEDED' ? { type: 'rate_limited' } : {}),
    message: [code, message].filter((text) => typeof text === 'string').join(': '),
  };
}
