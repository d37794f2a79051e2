import { Type } from 'typebox';
import type { TSchema } from 'typebox';
import type { FieldError } from '../../contract/errors.ts';
import { HttpFailure } from '../../contract/node-type.ts';
import type { NodeContext, NodeExample, NodeType } from '../../contract/node-type.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { isObject } from '../../lib/json/json.ts';
import { defineNode } from '../define-node.ts';
import { invalid, invalidFields } from '../outcome.ts';
import { closed, oneOfTexts } from '../schema.ts';
import { isTemplated } from '../template-mode.ts';
import { ui } from '../ui-hints.ts';
import { callService } from './connector-call.ts';
import {
  connectionField,
  validateCredentials,
  credentialsField,
  CredentialsError,
  listNamedConnection,
} from './credentials.ts';
import { validateData, printValue } from './data-fields.ts';
import type { ConnectorService, Credentials } from './connector-service.ts';
import type { DataField } from './data-fields.ts';

type ConnectorSpec = {
  type: string;
  version: string;
  name: string;
  description: string;
  icon: string;
  keywords?: readonly string[];
  services: Readonly<Record<string, ConnectorService>>;
  /** How the service is chosen: by the field `service`, or by the content of the secret. */
  choose: 'service' | ((secret: string) => string);
  /** What a form says below the choice of the account, in place of the content of the secret. */
  credentialsHint?: string;
  /** The service of a connected account if the configuration does not name one. */
  connected?: string;
  /** Whether the data is in the field `data` or in the configuration itself. */
  dataIn: 'data' | 'config';
  result: string;
  examples: readonly NodeExample[];
};

type Config = {
  service?: string;
  operation: string;
  credentials?: string;
  connection?: string;
  data?: JsonObject;
};

/** Creates a node type from a description of services. All their calls share one implementation. */
export function defineConnector(spec: ConnectorSpec): NodeType {
  const { services, choose, connected, credentialsHint, dataIn, result, ...rest } = spec;
  const all = Object.values(services);
  const operations = [...new Set(all.flatMap((service) => Object.keys(service.operations)))];

  const readData = (config: JsonObject): Json | undefined => {
    if (dataIn === 'data') return config['data'] ?? {};
    const names = new Set(all.flatMap((service) => listFields(service).map(([name]) => name)));
    return Object.fromEntries(Object.entries(config).filter(([name]) => names.has(name)));
  };
  const at = dataIn === 'data' ? 'data' : '';

  /** Validation before the secret is known: for the named service, or with rules common to all services. */
  function check(config: JsonObject): FieldError[] {
    const errors = validateCredentialChoice(config);
    const { service: name } = config;
    const operation = printValue(config['operation'] ?? '');
    const service =
      choose === 'service'
        ? services[printValue(name ?? '')]
        : config['connection'] !== undefined
          ? services[connected ?? '']
          : all.length === 1
            ? all[0]
            : undefined;
    if (service === undefined) return errors;
    const found = service.operations[operation];
    if (found === undefined)
      return [...errors, { field: 'operation', issue: describeUnknownOperation(service, operation) }];
    return [...errors, ...validateData(readData(config), found.data, at, isTemplated)];
  }

  return defineNode({
    ...rest,
    category: 'connector',
    config: closed({
      ...(choose === 'service' ? { service: oneOfTexts(Object.keys(services)) } : {}),
      operation: oneOfTexts(operations, ui({ order: 1, hidden: operations.length === 1 })),
      credentials: Type.Optional(
        credentialsField(all.map(({ title, holds }) => `For ${title}: ${holds}`).join('. '), {
          control: 'account',
          ...(credentialsHint === undefined ? {} : { hint: credentialsHint }),
        }),
      ),
      connection: connectionField('The name of a connection (a connected account), instead of credentials.'),
      ...(dataIn === 'data' ? { data: dataSchema(services) } : fieldSchemas(all)),
    }),
    templates: { service: 'literal', operation: 'literal', connection: 'literal' },
    connections: listNamedConnection,
    outputs: [{ name: 'out', type: 'any', description: result }],
    effects: 'external',
    secrets: { credentials: 'request' },
    timeout: 60_000,
    check,
    async run(ctx, whole) {
      const config = whole as unknown as Config & JsonObject;
      const { connection, credentials: secret = '' } = config;
      const name =
        choose === 'service'
          ? (config.service ?? '')
          : connection === undefined
            ? choose(secret)
            : (connected ?? '');
      const service = services[name];
      const operation = service?.operations[config.operation];
      if (service === undefined)
        return invalid('service', `must be one of ${Object.keys(services).join(', ')}`);
      if (operation === undefined)
        return invalid('operation', describeUnknownOperation(service, config.operation));
      const data = readData(config);
      const errors = validateData(data, operation.data, at, () => false);
      if (errors.length > 0 || !isObject(data)) return invalidFields(errors);
      const more = service.check?.(data) ?? [];
      if (more.length > 0) return invalidFields(more);
      const field = connection === undefined ? 'credentials' : 'connection';
      try {
        const proof =
          connection === undefined
            ? { credentials: service.credentials(secret.trim()), renew: () => Promise.resolve(null) }
            : await readConnectedCredentials(ctx, service, connection);
        return await callService(ctx, { name: config.operation, service, operation, data, ...proof });
      } catch (error) {
        if (error instanceof CredentialsError) return invalid(field, error.message);
        if (error instanceof HttpFailure) return { kind: 'failed', error: error.failure };
        throw error;
      }
    },
  });
}

/** Requires exactly one of credentials and connection. */
function validateCredentialChoice(config: JsonObject): FieldError[] {
  const { credentials, connection } = config;
  if (connection === undefined)
    return credentials === undefined
      ? [{ field: 'credentials', issue: 'is required unless connection is set' }]
      : validateCredentials(config);
  return credentials === undefined
    ? []
    : [{ field: 'connection', issue: 'must not be set with credentials' }];
}

/** @throws {CredentialsError} if the account does not belong to this service. */
async function readConnectedCredentials(
  ctx: NodeContext,
  service: ConnectorService,
  connection: string,
): Promise<{ credentials: Credentials; renew: () => Promise<Credentials | null> }> {
  const get = async (refused?: string): Promise<{ token: string; credentials: Credentials }> => {
    const { token, apiUrl } = await ctx.http.connection(connection, refused);
    if (token === null)
      throw new CredentialsError('must be a connection with a token: of OAuth, or with a bearer token');
    const credentials = service.ofConnection({ token, apiUrl });
    if (typeof credentials === 'string') throw new CredentialsError(credentials);
    return { token, credentials };
  };
  const { token, credentials } = await get();
  const renew = async (): Promise<Credentials | null> => {
    const next = await get(token);
    return next.token === token ? null : next.credentials;
  };
  return { credentials, renew };
}

function describeUnknownOperation({ title, operations }: ConnectorService, name: string): string {
  return `must be one of ${Object.keys(operations).join(', ')} for ${title}, not ${name}`;
}

function listFields(service: ConnectorService): [string, DataField][] {
  return Object.values(service.operations).flatMap(({ data }) => Object.entries(data.fields));
}

function dataSchema(services: ConnectorSpec['services']): TSchema {
  const lines = Object.entries(services).map(([name, { operations }]) => {
    const parts = Object.entries(operations).map(
      ([operation, { description }]) => `${operation}: ${description}`,
    );
    return `${name}: ${parts.join('; ')}.`;
  });
  return Type.Optional(Type.Unsafe<JsonObject>({ type: 'object', description: lines.join(' ') }));
}

/** The schema of a field follows from its kind. Which fields are required depends on the service. */
function fieldSchemas(services: readonly ConnectorService[]): Record<string, TSchema> {
  const types: Record<DataField['kind'], Record<string, unknown>> = {
    text: { type: 'string' },
    id: { type: ['string', 'integer'] },
    count: { type: 'integer' },
    texts: { type: 'array', items: { type: 'string' } },
    list: { type: 'array' },
    object: { type: 'object' },
  };
  return Object.fromEntries(
    services.flatMap(listFields).map(([name, { kind, title, description, ui: hints }]) => [
      name,
      Type.Optional(
        Type.Unsafe<Json>({
          ...types[kind],
          ...(title === undefined ? {} : { title }),
          description,
          ...(hints === undefined ? {} : ui(hints)),
        }),
      ),
    ]),
  );
}
