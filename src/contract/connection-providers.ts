/**
 * Presets for OAuth providers, so that a connection needs only the id and secret of an app. Source: each
 * provider's documentation of OAuth 2.0 for web servers.
 */
export type ConnectionProvider = {
  readonly title: string;
  readonly authorizationUrl: string;
  readonly tokenUrl: string;
  /** Separates the scopes in the authorization URL. */
  readonly scopeSeparator: ' ' | ',';
  /** How the client authenticates at the token endpoint: HTTP Basic, or fields of the body. */
  readonly clientAuthentication: 'basic' | 'body';
  readonly pkce: boolean;
  readonly authorizationParams: Readonly<Record<string, string>>;
  /** Base URL of the API that connector nodes call; null when it differs per account or there is none. */
  readonly baseUrl: string | null;
  /**
   * URL that a connection test requests, or a path below the account's API URL (Salesforce). Null: the test
   * only obtains a token.
   */
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
    // Without these parameters Google returns a refresh token only on the first consent, or never.
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
    // Differs per account; the token response contains it.
    baseUrl: null,
    testUrl: '/services/oauth2/userinfo',
  },
  slack: {
    title: 'Slack',
    authorizationUrl: 'https://slack.com/oauth/v2/authorize',
    tokenUrl: 'https://slack.com/api/oauth.v2.access',
    scopeSeparator: ',',
    clientAuthentication: 'body',
    // Slack supports PKCE only for apps that enable it.
    pkce: false,
    authorizationParams: {},
    baseUrl: 'https://slack.com/api',
    testUrl: 'https://slack.com/api/auth.test',
  },
};
