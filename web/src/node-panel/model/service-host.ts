import { isRecord } from './field-path.ts';

const HOST_PATTERN = /^[\w.-]+(?::\d{1,5})?$/;
/** The services of connector nodes, which have no URL in their configuration. */
const SERVICE_HOSTS: Readonly<Record<string, string>> = {
  slack: 'slack.com',
  hubspot: 'hubapi.com',
  salesforce: 'salesforce.com',
};

/** The host that a configuration sends requests to; null if unknown. `schema`: of the configuration. */
export function requestHost(config: unknown, schema?: unknown): string | null {
  const given = isRecord(config) ? (config['url'] ?? config['baseUrl']) : undefined;
  const text = given ?? defaultBaseUrl(schema);
  const url = typeof text === 'string' ? URL.parse(text) : null;
  return url !== null && HOST_PATTERN.test(url.host) ? url.host : null;
}

/** The server that an operation of a pack calls unless another one is set. */
function defaultBaseUrl(schema: unknown): unknown {
  const properties = isRecord(schema) ? schema['properties'] : undefined;
  const field = isRecord(properties) ? properties['baseUrl'] : undefined;
  return isRecord(field) ? field['default'] : undefined;
}

/** The host of the service that a node calls; null where it is not known. */
export function getServiceHost(type: string, config: unknown, schema?: unknown): string | null {
  const service = isRecord(config) && typeof config['service'] === 'string' ? config['service'] : type;
  return requestHost(config, schema) ?? SERVICE_HOSTS[service] ?? null;
}
