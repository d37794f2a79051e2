import type { ConnectedAccount } from 'weft-client';

export type Provider = NonNullable<ConnectedAccount['provider']>;

export const PROVIDERS: readonly { value: Provider; label: string; hosts: readonly string[] }[] = [
  { value: 'github', label: 'GitHub', hosts: ['github.com'] },
  { value: 'google', label: 'Google', hosts: ['googleapis.com', 'google.com', 'gmail.com'] },
  { value: 'hubspot', label: 'HubSpot', hosts: ['hubapi.com', 'hubspot.com'] },
  { value: 'salesforce', label: 'Salesforce', hosts: ['salesforce.com', 'force.com'] },
  { value: 'slack', label: 'Slack', hosts: ['slack.com'] },
];

export const providerName = (provider: ConnectedAccount['provider']): string =>
  PROVIDERS.find(({ value }) => value === provider)?.label ?? 'OAuth 2.0';

/** The provider of a host such as `api.github.com`. */
export function providerOfHost(host: string): Provider | null {
  const name = host.toLowerCase().replace(/:\d+$/, '');
  return (
    PROVIDERS.find(({ hosts }) => hosts.some((one) => name === one || name.endsWith(`.${one}`)))?.value ??
    null
  );
}
