import type { Principal } from '../../contract/principal.ts';
import type { OAuthTokenRow } from '../../ports/store/accounts/oauth.ts';
import { createSecretBox } from '../secret-box.ts';
import { createUnauthorizedError } from '../authenticate.ts';

/** Reads the audience that the authorization server wrote into a token. */
export function createResourceReader(key: Uint8Array) {
  const box = createSecretBox(key);
  return ({ model, id, payload }: OAuthTokenRow): NonNullable<Principal['resource']> | null => {
    let aud: string | undefined;
    try {
      ({ aud } = JSON.parse(box.open(model, id, payload)) as { aud?: string });
    } catch {
      throw createUnauthorizedError('The token is not valid.');
    }
    if (aud === undefined) return null;
    // Of the path only: the origin of the service may have changed.
    const path = new URL(aud).pathname;
    if (path === '/v1' || path === '/v1/mcp') return path;
    if (path === '/') return null;
    throw createUnauthorizedError('The token is not valid.');
  };
}
