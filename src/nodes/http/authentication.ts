import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { NodeContext, TokenRequest } from '../../contract/node-type.ts';
import { closed, oneOfTexts, tagged } from '../schema.ts';

const text = (description?: string) =>
  Type.String({ minLength: 1, ...(description === undefined ? {} : { description }) });

export const authenticationSchema = tagged(
  'type',
  [
    closed({ type: Type.Literal('bearer'), token: text() }, { title: 'Bearer token' }),
    closed(
      { type: Type.Literal('basic'), username: Type.String(), password: Type.String() },
      { title: 'User name and password' },
    ),
    closed({ type: Type.Literal('header'), name: text(), value: text() }, { title: 'A header' }),
    closed(
      {
        type: Type.Literal('oauth2'),
        grant_type: Type.Optional(
          oneOfTexts(['client_credentials', 'refresh_token'], {
            description: 'Default: refresh_token when there is one, else client_credentials.',
          }),
        ),
        token_url: Type.Optional(text('Where tokens are given out.')),
        client_id: Type.Optional(text()),
        client_secret: Type.Optional(text()),
        scope: Type.Optional(Type.String()),
        refresh_token: Type.Optional(text()),
        credential: Type.Optional(text('The name of a connected account; not available yet.')),
      },
      { title: 'OAuth 2.0' },
    ),
  ],
  { description: 'How the request proves who sends it. Secrets stand as {{ secrets.NAME }}.' },
);
export type Authentication = Static<typeof authenticationSchema>;

/** The headers that carry the credentials. `fresh`: an OAuth token that was refused is replaced. */
export async function credentialHeaders(
  ctx: NodeContext,
  authentication: Authentication | undefined,
  fresh: boolean,
  proxy?: string,
): Promise<Record<string, string>> {
  if (authentication === undefined) return {};
  if (authentication.type === 'bearer') return { authorization: `Bearer ${authentication.token}` };
  if (authentication.type === 'header') return { [authentication.name.toLowerCase()]: authentication.value };
  if (authentication.type === 'basic') {
    const pair = Buffer.from(`${authentication.username}:${authentication.password}`);
    return { authorization: `Basic ${pair.toString('base64')}` };
  }
  return {
    authorization: `Bearer ${await ctx.http.token(
      { ...tokenRequest(authentication), ...(proxy === undefined ? {} : { proxy }) },
      fresh,
    )}`,
  };
}

function tokenRequest(oauth2: Extract<Authentication, { type: 'oauth2' }>): TokenRequest {
  const { token_url = '', client_id = '', client_secret, scope, refresh_token } = oauth2;
  return {
    token_url,
    client_id,
    ...(client_secret === undefined ? {} : { client_secret }),
    ...(scope === undefined ? {} : { scope }),
    ...(refresh_token === undefined ? {} : { refresh_token }),
  };
}
