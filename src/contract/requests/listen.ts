import { Type } from 'typebox';
import { Text, Time, resource } from '../resources/resource.ts';

/** One-shot test addresses of webhook triggers. */

export const ListenSchema = Type.Object(
  {
    node_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Which webhook trigger; needed where the workflow has several.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const ListenResource = resource('Listener', 'A test address that takes one request.', {
  url: Text('It is as good as a password until it is used or its time is over.'),
  method: Text(),
  expires_at: Time(),
  node_id: Text(),
});
