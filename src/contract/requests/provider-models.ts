import { Type } from 'typebox';
import { modelProviders } from '../ai/models.ts';
import { OneOf } from '../resources/resource.ts';

/** The provider whose models are listed, with the fields of the node `llm`. */
export const ListProviderModelsSchema = Type.Object(
  {
    provider: OneOf(modelProviders, 'The protocol of the provider.'),
    base_url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_000,
        description:
          "The URL to which `/models` is added. It may use `{{ secrets.NAME }}`. Required for `openai_compatible`. Default: the provider's own address.",
      }),
    ),
    credentials: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 65_536,
        description: 'The API key, as a stored secret: `{{ secrets.NAME }}`.',
      }),
    ),
    connection: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'The name of a connection, instead of credentials.',
      }),
    ),
    refresh: Type.Optional(
      Type.Boolean({
        description:
          'Whether to load the list from the provider instead of the cache. Default: false. A list is cached for five minutes.',
      }),
    ),
  },
  { title: 'ListProviderModelsInput', additionalProperties: false },
);
