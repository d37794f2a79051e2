import { Type } from 'typebox';
import { Text, Time, nullable, defineResource } from './resource.ts';

export const ProviderModelListResource = defineResource(
  'ProviderModelList',
  'The models that a provider lists.',
  {
    listed_at: Time('When the list was loaded from the provider.'),
    models: Type.Array(
      defineResource('ProviderModel', 'A model of a provider.', {
        id: Text('The name for the field `model` of a node.'),
        name: nullable(Text('The name for people; null if the provider states none.')),
        priced: Type.Boolean({
          description: 'Whether the model has a price, so that its calls have a cost.',
        }),
      }),
    ),
  },
);
