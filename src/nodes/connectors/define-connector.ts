import { Type } from 'typebox';
import type { TSchema } from 'typebox';
import type { Fault } from '../../contract/errors.ts';
import type { NodeExample, NodeType } from '../../contract/node-type.ts';
import type { Json, JsonObject } from '../../lib/json.ts';
import { isObject } from '../../lib/json.ts';
import { defineNode } from '../define-node.ts';
import { invalid, invalidFaults } from '../outcome.ts';
import { closed, oneOfTexts } from '../schema.ts';
import { isTemplated } from '../template-mode.ts';
import { callService } from './connector-call.ts';
import { credentialsFaults, credentialsField, CredentialsError } from './credentials.ts';
import { dataFaults, printed } from './data-fields.ts';
import type { ConnectorService } from './connector-service.ts';
import type { DataField } from './data-fields.ts';

type ConnectorSpec = {
  type: string;
  version: string;
  name: string;
  description: string;
  icon: string;
  services: Readonly<Record<string, ConnectorService>>;
  /** Which service: the field `service`, or what the secret is. */
  choose: 'service' | ((secret: string) => string);
  /** Where the data stands: in the field `data`, or in fields of the configuration. */
  dataIn: 'data' | 'config';
  result: string;
  examples: readonly NodeExample[];
};

type Config = { service?: string; operation: string; credentials: string; data?: JsonObject };

/** Makes a node type of a description of what services can do. All of their calls go through one piece of code. */
export function defineConnector(spec: ConnectorSpec): NodeType {
  const { services, choose, dataIn, result, ...rest } = spec;
  const all = Object.values(services);
  const operations = [...new Set(all.flatMap((service) => Object.keys(service.operations)))];

  const dataOf = (config: JsonObject): Json | undefined => {
    if (dataIn === 'data') return config['data'] ?? {};
    const names = new Set(all.flatMap((service) => fieldsOf(service).map(([name]) => name)));
    return Object.fromEntries(Object.entries(config).filter(([name]) => names.has(name)));
  };
  const at = dataIn === 'data' ? 'data' : '';

  /** What can be said before the secret is known: of a service that is named, or of all alike. */
  function check(config: JsonObject): Fault[] {
    const faults = credentialsFaults(config);
    const { service: name } = config;
    const operation = printed(config['operation'] ?? '');
    const service =
      choose === 'service' ? services[printed(name ?? '')] : all.length === 1 ? all[0] : undefined;
    if (service === undefined) return faults;
    const found = service.operations[operation];
    if (found === undefined)
      return [...faults, { field: 'operation', issue: unknownOperation(service, operation) }];
    return [...faults, ...dataFaults(dataOf(config), found.data, at, isTemplated)];
  }

  return defineNode({
    ...rest,
    category: 'connector',
    config: closed({
      ...(choose === 'service' ? { service: oneOfTexts(Object.keys(services)) } : {}),
      operation: oneOfTexts(operations),
      credentials: credentialsField(
        all.map(({ title, holds }) => `For ${title} it holds ${holds}`).join('. '),
      ),
      ...(dataIn === 'data' ? { data: dataSchema(services) } : fieldSchemas(all)),
    }),
    templates: { service: 'literal', operation: 'literal' },
    outputs: [{ name: 'out', type: 'any', description: result }],
    effects: 'external',
    timeout: 60_000,
    check,
    async run(ctx, whole) {
      const config = whole as unknown as Config & JsonObject;
      const name = choose === 'service' ? (config.service ?? '') : choose(config.credentials);
      const service = services[name];
      const operation = service?.operations[config.operation];
      if (service === undefined) return invalid('service', `takes ${Object.keys(services).join(', ')}`);
      if (operation === undefined) return invalid('operation', unknownOperation(service, config.operation));
      const data = dataOf(config);
      const faults = dataFaults(data, operation.data, at, () => false);
      if (faults.length > 0 || !isObject(data)) return invalidFaults(faults);
      const more = service.check?.(data) ?? [];
      if (more.length > 0) return invalidFaults(more);
      try {
        const credentials = service.credentials(config.credentials.trim());
        return await callService(ctx, { name: config.operation, service, operation, credentials, data });
      } catch (error) {
        if (error instanceof CredentialsError) return invalid('credentials', error.message);
        throw error;
      }
    },
  });
}

function unknownOperation({ title, operations }: ConnectorService, name: string): string {
  return `${name} is nothing that ${title} can do; it takes ${Object.keys(operations).join(', ')}`;
}

function fieldsOf(service: ConnectorService): [string, DataField][] {
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

/** The schema of a field says what its kind is; what is required depends on the service. */
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
    services
      .flatMap(fieldsOf)
      .map(([name, { kind, description }]) => [
        name,
        Type.Optional(Type.Unsafe<Json>({ ...types[kind], description })),
      ]),
  );
}
