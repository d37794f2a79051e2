import type { Provider } from 'oidc-provider';
import type { OAuthProviderOptions } from './provider.ts';

/** Loads the authorization server on first use: most instances never need it. */
export function createOAuthProvider(options: OAuthProviderOptions): () => Promise<Provider> {
  let made: Promise<Provider> | null = null;
  return () => (made ??= import('./provider.ts').then(({ makeProvider }) => makeProvider(options)));
}
