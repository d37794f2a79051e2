import { Type } from 'typebox';
import { Count, Text, Time, defineResource } from '../resources/resource.ts';

/** One-shot test URLs of webhook triggers. */

export const ListenSchema = Type.Object(
  {
    node_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'The webhook trigger; required when the workflow has several.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const StopListeningQuery = Type.Object(
  {
    node_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Closes only the test URLs of this webhook trigger. Default: all of the workflow.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const ClosedListenersResource = defineResource('ClosedListeners', 'The result of closing test URLs.', {
  closed: Count('The number of test URLs that were open.'),
});

export const ListenResource = defineResource('Listener', 'A test URL that accepts one request.', {
  url: Text('Treat it as a password until it is used or expires.'),
  method: Text(),
  expires_at: Time(),
  node_id: Text(),
});
