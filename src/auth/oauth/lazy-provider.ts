import type { Provider } from 'oidc-provider';
import type { OAuthProviderOptions } from './provider.ts';

/** The authorization server, loaded and made at its first use: most instances never serve one. */
export function createOAuthProvider(options: OAuthProviderOptions): () => Promise<Provider> {
  let made: Promise<Provider> | null = null;
  return () => (made ??= import('./provider.ts').then(({ makeProvider }) => makeProvider(options)));
}
