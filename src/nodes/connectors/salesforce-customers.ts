import type { FieldError } from '../../contract/errors.ts';
import { appendKey } from '../../lib/json/json-path.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { isObject } from '../../lib/json/json.ts';
import { CredentialsError, readBaseUrl, readJsonCredentials } from './credentials.ts';
import type { DataField, DataShape } from './data-fields.ts';
import { pickOtherFields, printValue } from './data-fields.ts';
import type { ConnectorService, Problem } from './connector-service.ts';
import { formatSoqlLiteral } from './soql.ts';

const CONTACT = '/sobjects/Contact';
const DEFAULT_VERSION = 'v60.0';
/** Salesforce's page size limit for query results. */
const MAX_PAGE = 2_000;

/** Common field names of all services, mapped to Salesforce names. Other names are passed through. */
const FIELDS: Readonly<Record<string, string>> = {
  id: 'Id',
  first_name: 'FirstName',
  last_name: 'LastName',
  email: 'Email',
  phone: 'Phone',
  job_title: 'Title',
};
const DEFAULT_FIELDS = ['id', 'first_name', 'last_name', 'email', 'phone', 'job_title'];
const toFieldName = (name: string): string => FIELDS[name] ?? name;
/** A standard or custom field, or a field of a related object: Account.Name, Region__c. */
const FIELD_NAME = /^[A-Za-z]\w{0,79}(?:\.[A-Za-z]\w{0,79}){0,4}$/;

const id: DataField = { kind: 'id', description: 'The id of the contact.', required: true };
const properties: DataField = { kind: 'texts', description: 'The fields to return.' };
const one: DataShape = { fields: { id }, others: 'scalars' };
const found: DataShape = {
  fields: {
    properties,
    limit: { kind: 'count', description: 'Maximum number of contacts. Default: 100.', max: MAX_PAGE },
  },
  others: 'scalars',
};

/** Salesforce contacts (REST API: sObject rows and SOQL queries). */
export const salesforceCustomers: ConnectorService = {
  title: 'Salesforce',
  holds: `JSON with instance_url, token and optionally api_version (${DEFAULT_VERSION})`,
  credentials: (secret) => readJsonCredentials(secret, ['instance_url', 'token'], ['api_version']),
  ofConnection: ({ token, apiUrl }) =>
    apiUrl === null
      ? 'must be a connection with a base_url: the address of its Salesforce instance is not known'
      : { token, instance_url: apiUrl },
  baseUrl({ instance_url = '', api_version: version = DEFAULT_VERSION }) {
    if (!/^v\d{1,3}\.\d$/.test(version))
      throw new CredentialsError(`the secret's api_version must be a string such as ${DEFAULT_VERSION}`);
    return `${readBaseUrl('instance_url', instance_url)}/services/data/${version}`;
  },
  authorize: ({ token }) => ({ authorization: `Bearer ${token}` }),
  problem: readProblem,
  check: validateFields,
  operations: {
    create: {
      description: 'creates a contact with the fields',
      method: 'POST',
      path: CONTACT,
      data: { fields: {}, others: 'scalars' },
      body: buildFields,
    },
    get: {
      description: 'returns the contact id, with the listed properties',
      method: 'GET',
      path: `${CONTACT}/{id}`,
      data: { fields: { id, properties }, others: 'none' },
      query: (data) => ({
        fields: Array.isArray(data['properties']) ? readNames(data).join(',') : undefined,
      }),
    },
    update: {
      description: 'updates the other fields of the contact id',
      method: 'PATCH',
      path: `${CONTACT}/{id}`,
      data: one,
      body: (data) => buildFields(pickOtherFields(data, one)),
    },
    delete: {
      description: 'deletes the contact id',
      method: 'DELETE',
      path: `${CONTACT}/{id}`,
      data: { fields: { id }, others: 'none' },
    },
    search: {
      description: `returns contacts whose fields equal the data (a list matches any of its values); also properties and limit (at most ${MAX_PAGE})`,
      method: 'GET',
      path: '/query',
      data: found,
      query: (data) => ({ q: buildSoql(data) }),
    },
  },
};

function buildFields(data: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      toFieldName(name),
      Array.isArray(value) ? value.map(printValue).join(';') : value,
    ]),
  );
}

/** Names have been validated; values are always escaped literals. */
function buildSoql(data: JsonObject): string {
  const conditions = Object.entries(pickOtherFields(data, found)).map(([name, value]) => {
    const field = toFieldName(name);
    if (!Array.isArray(value)) return `${field} = ${formatSoqlLiteral(value)}`;
    return `${field} IN (${value.map(formatSoqlLiteral).join(', ')})`;
  });
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
  const limit = typeof data['limit'] === 'number' ? data['limit'] : 100;
  return `SELECT ${readNames(data).join(', ')} FROM Contact${where} LIMIT ${limit}`;
}

function readNames({ properties: names }: JsonObject): string[] {
  return (Array.isArray(names) && names.length > 0 ? names : DEFAULT_FIELDS).map((name) =>
    toFieldName(printValue(name)),
  );
}

function validateFields(data: JsonObject): FieldError[] {
  const issue = 'must be a valid Salesforce field name';
  const errors = Object.keys(data)
    .filter((name) => !FIELD_NAME.test(name))
    .map((name) => ({ field: appendKey('data', name), issue }));
  const { properties: names } = data;
  for (const [i, name] of (Array.isArray(names) ? names : []).entries())
    if (!FIELD_NAME.test(printValue(name))) errors.push({ field: `data.properties[${i}]`, issue });
  for (const [name, value] of Object.entries(data))
    if (Array.isArray(value) && value.length === 0 && name !== 'properties')
      errors.push({ field: appendKey('data', name), issue: 'must be a non-empty list' });
  return errors;
}

/** Salesforce returns errors as a list of {errorCode, message}, and an exceeded request limit as a 403. */
function readProblem(status: number, body: Json): Problem | null {
  if (status < 400) return null;
  const first = Array.isArray(body) ? body[0] : body;
  if (!isObject(first)) return null;
  const { errorCode: code, message } = first;
  return {
    ...(code === 'REQUEST_LIMIT_EXCEEDED' ? { type: 'rate_limited' } : {}),
    message: [code, message].filter((text) => typeof text === 'string').join(': '),
  };
}
