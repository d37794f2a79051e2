import { Type } from 'typebox';
import { scopes } from '../scopes.ts';

/** What a client that a user registers may do: get tokens for itself, or send people to log in. */
export const oauthGrantTypes = ['client_credentials', 'authorization_code', 'refresh_token'] as const;

export const CreateOAuthClientInput = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Shown to whoever is asked for consent.',
    }),
    grant_types: Type.Optional(
      Type.Array(Type.Enum([...oauthGrantTypes]), {
        minItems: 1,
        maxItems: oauthGrantTypes.length,
        uniqueItems: true,
        description:
          '`authorization_code` adds `refresh_token`. Absent: `authorization_code` where there are `redirect_uris`, `client_credentials` where there are none.',
      }),
    ),
    redirect_uris: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 2000 }), {
        maxItems: 10,
        uniqueItems: true,
        description: 'Where codes may be sent; compared character for character.',
      }),
    ),
    scopes: Type.Array(Type.Enum([...scopes]), {
      minItems: 1,
      maxItems: scopes.length,
      uniqueItems: true,
      description: 'The most that its tokens may do.',
    }),
  },
  { title: 'CreateOAuthClientInput', additionalProperties: false },
);
