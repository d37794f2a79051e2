import { isRecord } from './json-pointer.ts';

const HOST = /^[\w.-]+(?::\d{1,5})?$/;
/** The services of connector nodes, which have no URL in their configuration. */
const SERVICE_HOSTS: Readonly<Record<string, string>> = {
  slack: 'slack.com',
  hubspot: 'hubapi.com',
  salesforce: 'salesforce.com',
};

/** The host that the requests of a configuration go to; null where it is not known. */
export function requestHost(config: unknown): string | null {
  const url = isRecord(config) && typeof config['url'] === 'string' ? URL.parse(config['url']) : null;
  return url !== null && HOST.test(url.host) ? url.host : null;
}

/** The host of the service that a node calls; null where it is not known. */
export function serviceHost(type: string, config: unknown): string | null {
  const service = isRecord(config) && typeof config['service'] === 'string' ? config['service'] : type;
  return requestHost(config) ?? SERVICE_HOSTS[service] ?? null;
}
