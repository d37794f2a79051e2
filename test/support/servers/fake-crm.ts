import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import { serve } from './http-server.ts';
import type { TestServer } from './http-server.ts';

type FakeResponse = { status: number; body?: Json; headers?: Record<string, string> };
type Call = { method: string; path: string; query: URLSearchParams; body: JsonObject };

/** A JSON server that requires `Bearer tok-123456`. */
function service(unauthorized: Json, respond: (call: Call) => FakeResponse): Promise<TestServer> {
  return serve((request: IncomingMessage, response: ServerResponse, raw: string) => {
    const url = new URL(request.url ?? '/', 'http://service');
    const text = Buffer.from(raw, 'latin1').toString();
    const { status, body, headers } =
      request.headers.authorization === 'Bearer tok-123456'
        ? respond({
            method: request.method ?? '',
            path: url.pathname,
            query: url.searchParams,
            body: text === '' ? {} : (JSON.parse(text) as JsonObject),
          })
        : { status: 401, body: unauthorized, headers: {} };
    response.writeHead(status, { 'content-type': 'application/json;charset=utf-8', ...headers });
    response.end(body === undefined ? '' : JSON.stringify(body));
  });
}

/** Customers through plain REST. */
export function startRestServer(): Promise<TestServer> {
  const customers = new Map<string, JsonObject>();
  return service({ message: 'no such token' }, ({ method, path, query, body }) => {
    if (method === 'GET' && path === '/v2/customers')
      return { status: 200, body: { query: [...query.entries()] } };
    if (method === 'POST' && path === '/v2/customers') {
      const id = (body['id'] as string | undefined) ?? `c ${customers.size + 1}/x`;
      customers.set(id, { ...body, id });
      return { status: 201, body: customers.get(id)! };
    }
    const id = decodeURIComponent(/^\/v2\/customers\/([^/]+)$/.exec(path)?.[1] ?? '');
    const found = customers.get(id);
    if (found === undefined) return { status: 404, body: { error: { message: `no customer ${id}` } } };
    if (method === 'PATCH') customers.set(id, { ...found, ...body, seen: Object.keys(body) });
    if (method === 'DELETE') customers.delete(id);
    return method === 'DELETE' ? { status: 204 } : { status: 200, body: customers.get(id)! };
  });
}

/** The responses of HubSpot's contacts API (CRM v3) to the requests of Weft. */
export function startHubspotServer(): Promise<TestServer> {
  const contacts = new Map<string, JsonObject>();
  const error = (status: number, category: string, message: string): FakeResponse => ({
    status,
    body: { status: 'error', message, category, correlationId: 'a1' },
  });
  const shown = (id: string, names?: string[]): JsonObject => {
    const all = contacts.get(id) ?? {};
    const properties =
      names === undefined ? all : Object.fromEntries(names.map((name) => [name, all[name] ?? null]));
    return { id, properties, createdAt: '2026-01-01T00:00:00Z', archived: false };
  };
  const unauthorized = {
    status: 'error',
    message: 'Authentication credentials not found',
    category: 'INVALID_AUTHENTICATION',
  };
  return service(unauthorized, ({ method, path, query, body }) => {
    const base = '/crm/v3/objects/contacts';
    if (method === 'POST' && path === `${base}/search`) {
      const groups = body['filterGroups'] as { filters: JsonObject[] }[];
      const fits = (contact: JsonObject) =>
        groups.every(({ filters }) =>
          filters.every(({ propertyName, operator, value, values }) => {
            const own = contact[propertyName as string];
            if (operator === 'EQ') return own === value;
            if (operator === 'IN') return (values as Json[]).includes(own ?? null);
            return operator === 'NOT_HAS_PROPERTY' && own === undefined;
          }),
        );
      const found = [...contacts].filter(([, contact]) => fits(contact));
      const results = found.slice(0, Number(body['limit'] ?? 10));
      const names = body['properties'] as string[] | undefined;
      return { status: 200, body: { total: found.length, results: results.map(([id]) => shown(id, names)) } };
    }
    if (method === 'POST' && path === base) {
      const properties = body['properties'] as JsonObject;
      if (properties['email'] === 'slow@example.com')
        return {
          status: 429,
          headers: { 'retry-after': '7' },
          body: { errorType: 'RATE_LIMIT', message: 'You have reached your secondly limit.' },
        };
      if ([...contacts.values()].some(({ email }) => email === properties['email']))
        return error(409, 'CONFLICT', 'Contact already exists. Existing ID: 101');
      const id = String(101 + contacts.size);
      contacts.set(id, properties);
      return { status: 201, body: shown(id) };
    }
    const key = decodeURIComponent(path.slice(base.length + 1));
    const property = query.get('idProperty');
    const id = [...contacts].find(([one, all]) => (property === null ? one : all[property]) === key)?.[0];
    if (id === undefined) return error(404, 'OBJECT_NOT_FOUND', 'resource not found');
    if (method === 'DELETE') contacts.delete(id);
    if (method === 'DELETE') return { status: 204 };
    if (method === 'PATCH') contacts.set(id, { ...contacts.get(id), ...(body['properties'] as JsonObject) });
    return { status: 200, body: shown(id, query.get('properties')?.split(',')) };
  });
}

/**
 * The responses of Salesforce's contacts (REST API). Queries are tokenized, so text that escapes its literal
 * is detected.
 */
export function startSalesforceServer(): Promise<TestServer> {
  const contacts = new Map<string, JsonObject>();
  const error = (status: number, errorCode: string, message: string): FakeResponse => ({
    status,
    body: [{ message, errorCode }],
  });
  return service(
    [{ message: 'Session expired or invalid', errorCode: 'INVALID_SESSION_ID' }],
    ({ method, path, query, body }) => {
      const base = '/services/data/v60.0';
      if (path === `${base}/query`) {
        const read = readSoql(query.get('q') ?? '');
        if (read === null) return error(400, 'MALFORMED_QUERY', `unexpected token: ${query.get('q')}`);
        const fits = (contact: JsonObject) =>
          read.where.every(({ field, values }) => values.includes(contact[field] ?? null));
        const found = [...contacts.values()].filter(fits).slice(0, read.limit);
        const records = found.map((contact) =>
          Object.fromEntries(read.fields.map((name) => [name, contact[name] ?? null])),
        );
        return { status: 200, body: { totalSize: records.length, done: true, records } };
      }
      if (method === 'POST' && path === `${base}/sobjects/Contact`) {
        if (body['LastName'] === undefined)
          return error(400, 'REQUIRED_FIELD_MISSING', 'Required fields are missing: [LastName]');
        if (body['LastName'] === 'Busy')
          return error(403, 'REQUEST_LIMIT_EXCEEDED', 'TotalRequests Limit exceeded.');
        const Id = `003XX000000000${contacts.size}`;
        contacts.set(Id, { ...body, Id });
        return { status: 201, body: { id: Id, success: true, errors: [] } };
      }
      const id = decodeURIComponent(path.slice(`${base}/sobjects/Contact/`.length));
      const found = contacts.get(id);
      if (found === undefined) return error(404, 'NOT_FOUND', 'The requested resource does not exist');
      if (method === 'PATCH') contacts.set(id, { ...found, ...body });
      if (method === 'DELETE') contacts.delete(id);
      if (method !== 'GET') return { status: 204 };
      const names = query.get('fields')?.split(',');
      return {
        status: 200,
        body:
          names === undefined ? found : Object.fromEntries(names.map((name) => [name, found[name] ?? null])),
      };
    },
  );
}

/** Parses only SELECT … FROM Contact [WHERE a = x AND b IN (x, y)] LIMIT n. */
function readSoql(text: string) {
  const tokens = text.match(/'(?:[^'\\]|\\.)*'|[\w.]+|[=(),]|\S/gsu) ?? [];
  let at = 0;
  const next = (): string => tokens[at++] ?? '';
  const list = (end: string): string[] => {
    const found: string[] = [];
    for (let token = next(); token !== end && token !== ''; token = next())
      if (token !== ',') found.push(token);
    return found;
  };
  if (next() !== 'SELECT') return null;
  const fields = list('FROM');
  if (next() !== 'Contact') return null;
  const where: { field: string; values: Json[] }[] = [];
  let word = next();
  while (word === 'WHERE' || word === 'AND') {
    const field = next();
    const operator = next();
    if (operator === 'IN' && next() !== '(') return null;
    if (operator !== 'IN' && operator !== '=') return null;
    where.push({ field, values: (operator === 'IN' ? list(')') : [next()]).map(soqlValue) });
    word = next();
  }
  if (word !== 'LIMIT') return null;
  const limit = Number(next());
  return at === tokens.length && limit > 0 ? { fields, where, limit } : null;
}

function soqlValue(token: string): Json {
  if (!token.startsWith("'")) return token === 'null' ? null : (JSON.parse(token) as Json);
  const plain: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };
  return token.slice(1, -1).replaceAll(/\\(.)/gs, (_whole, char: string) => plain[char] ?? char);
}
