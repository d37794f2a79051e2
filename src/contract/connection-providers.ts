/**
 * What is known of providers of accounts, so that a connection to one needs no more than an app's id and secret. Sources: each
 * provider's own documentation of OAuth 2.0 for web servers.
 */
export type ConnectionProvider = {
  readonly title: string;
  readonly authorizationUrl: string;
  readonly tokenUrl: string;
  /** What stands between scopes in the address. */
  readonly scopeSeparator: ' ' | ',';
  /** How the app proves itself at the token endpoint: by HTTP Basic, or by fields of the body. */
  readonly clientAuthentication: 'basic' | 'body';
  readonly pkce: boolean;
  readonly authorizationParams: Readonly<Record<string, string>>;
  /** Where the API is that the connector nodes call; null: it differs, or there is none. */
  readonly baseUrl: string | null;
  /** What a test asks for: an address, or a path below the API of the account (Salesforce). Null: only for a token. */
  readonly testUrl: string | null;
};

export const providerNames = ['github', 'google', 'hubspot', 'salesforce', 'slack'] as const;
export type ProviderName = (typeof providerNames)[number];

export const connectionProviders: Readonly<Record<ProviderName, ConnectionProvider>> = {
  github: {
    title: 'GitHub',
    authorizationUrl: 'https://github.com/login/oauth/authorize',
    tokenUrl: 'https://github.com/login/oauth/access_token',
    scopeSeparator: ' ',
    clientAuthentication: 'body',
    pkce: true,
    authorizationParams: {},
    baseUrl: 'https://api.github.com',
    testUrl: 'https://api.github.com/user',
  },
  google: {
    title: 'Google',
    authorizationUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
    tokenUrl: 'https://oauth2.googleapis.com/token',
    scopeSeparator: ' ',
    clientAuthentication: 'body',
    pkce: true,
    // Without these Google gives no refresh token, or only the first time.
    authorizationParams: { access_type: 'offline', prompt: 'consent' },
    baseUrl: null,
    testUrl: null,
  },
  hubspot: {
    title: 'HubSpot',
    authorizationUrl: 'https://app.hubspot.com/oauth/authorize',
    tokenUrl: 'https://api.hubapi.com/oauth/v1/token',
    scopeSeparator: ' ',
    clientAuthentication: 'body',
    pkce: true,
    authorizationParams: {},
    baseUrl: 'https://api.hubapi.com',
    testUrl: 'https://api.hubapi.com/account-info/v3/details',
  },
  salesforce: {
    title: 'Salesforce',
    authorizationUrl: 'https://login.salesforce.com/services/oauth2/authorize',
    tokenUrl: 'https://login.salesforce.com/services/oauth2/token',
    scopeSeparator: ' ',
    clientAuthentication: 'body',
    pkce: true,
    authorizationParams: {},
    // Each account has its own; the answer with the tokens names it.
    baseUrl: null,
    testUrl: '/services/oauth2/userinfo',
  },
  slack: {
    title: 'Slack',
    authorizationUrl: 'https://slack.com/oauth/v2/authorize',
    tokenUrl: 'https://slack.com/api/oauth.v2.access',
    scopeSeparator: ',',
    clientAuthentication: 'body',
    // Slack wants an app to opt in to it first.
    pkce: false,
    authorizationParams: {},
    baseUrl: 'https://slack.com/api',
    testUrl: 'https://slack.com/api/auth.test',
  },
};
