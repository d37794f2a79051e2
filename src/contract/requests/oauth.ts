import { Type } from 'typebox';
import { scopes } from '../scopes.ts';

/** Grants that a registered client may use: tokens for itself, or logins of users. */
export const oauthGrantTypes = ['client_credentials', 'authorization_code', 'refresh_token'] as const;

export const CreateOAuthClientInput = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Shown on the consent page.',
    }),
    grant_types: Type.Optional(
      Type.Array(Type.Enum([...oauthGrantTypes]), {
        minItems: 1,
        maxItems: oauthGrantTypes.length,
        uniqueItems: true,
        description:
          '`authorization_code` adds `refresh_token`. Absent: `authorization_code` with `redirect_uris`, otherwise `client_credentials`.',
      }),
    ),
    redirect_uris: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 2000 }), {
        maxItems: 10,
        uniqueItems: true,
        description: 'URIs to which codes may be sent; compared exactly.',
      }),
    ),
    scopes: Type.Array(Type.Enum([...scopes]), {
      minItems: 1,
      maxItems: scopes.length,
      uniqueItems: true,
      description: 'The maximum scopes of its tokens.',
    }),
  },
  { title: 'CreateOAuthClientInput', additionalProperties: false },
);
