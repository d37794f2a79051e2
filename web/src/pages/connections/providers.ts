import type { ConnectedAccount } from 'weft-client';

export type Provider = NonNullable<ConnectedAccount['provider']>;

export const PROVIDERS: readonly { value: Provider; label: string }[] = [
  { value: 'github', label: 'GitHub' },
  { value: 'google', label: 'Google' },
  { value: 'hubspot', label: 'HubSpot' },
  { value: 'salesforce', label: 'Salesforce' },
  { value: 'slack', label: 'Slack' },
];

export const providerName = (provider: ConnectedAccount['provider']): string =>
  PROVIDERS.find(({ value }) => value === provider)?.label ?? 'OAuth 2.0';

/** The redirect URI of the authorization. */
export const RETURN_TO = '/settings/connections';
