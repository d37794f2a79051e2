import { Type } from 'typebox';
import type { Json } from '../../lib/json/json.ts';
import { authenticationSchema, authenticationSecrets } from '../http/authentication.ts';
import type { Query } from '../http/url.ts';
import { closed, duration, inputPath, mapOf, oneOfTexts, scalar } from '../schema.ts';

/** The most items that one poll may be told to start. */
const MAX_ITEMS = 1_000;
export const DEFAULT_ITEMS = 100;

/** What is asked, as in `http_request`. */
export const pollRequestFields = {
  url: Type.String({
    minLength: 1,
    description:
      'http or https, without credentials. It may read secrets; a placeholder in its path or query is percent-encoded.',
  }),
  method: Type.Optional(oneOfTexts(['GET', 'POST'], { default: 'GET' })),
  query: Type.Optional(
    mapOf(
      Type.Unsafe<Query[string]>({
        type: ['string', 'number', 'boolean', 'null', 'array'],
        items: { type: ['string', 'number', 'boolean'] },
      }),
      { description: 'Added to the URL; a list gives its name several times, null leaves it out.' },
    ),
  ),
  headers: Type.Optional(mapOf(scalar())),
  body: Type.Optional(Type.Unsafe<Json>({ description: 'Sent as JSON, with method POST.' })),
  authentication: Type.Optional(authenticationSchema),
  items: Type.Optional(
    inputPath({
      description: 'Where the list of items is in the answer, which is JSON. Default: the answer is it.',
    }),
  ),
};

/** The fields of a polling trigger that may read secrets. */
export const pollSecrets = {
  url: 'request',
  query: 'request',
  headers: 'request',
  body: 'request',
  ...authenticationSecrets,
} as const;

export const polling = closed(
  {
    triggerType: Type.Literal('polling'),
    ...pollRequestFields,
    interval: Type.Optional(duration({ description: 'Every so often, at least 1s. Either this or cron.' })),
    cron: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Five fields (minute hour day month weekday), or six with seconds first.',
      }),
    ),
    timezone: Type.Optional(
      Type.String({ maxLength: 100, description: 'An IANA name such as Europe/Berlin, for cron.' }),
    ),
    key: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1_000,
        description:
          'What tells items apart: a path in the item such as id, or a template over {{ item }}. Default: all of the item, so that one that changed is a new one.',
      }),
    ),
    first: Type.Optional(
      oneOfTexts(['ignore', 'take'], {
        default: 'ignore',
        description: 'What the first poll does with the items that are there already.',
      }),
    ),
    maxItems: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_ITEMS,
        default: DEFAULT_ITEMS,
        description: 'How many items one poll starts; the next one goes on with the rest.',
      }),
    ),
    timeout: Type.Optional(
      duration({ default: '30s', description: 'How long the answer may take, at most 5m.' }),
    ),
  },
  { title: 'Polling' },
);
