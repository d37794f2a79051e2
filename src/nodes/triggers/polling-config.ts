import { Type } from 'typebox';
import type { Json } from '../../lib/json/json.ts';
import { authenticationSchema, authenticationSecrets } from '../http/authentication.ts';
import type { Query } from '../http/url.ts';
import { closed, duration, inputPath, mapOf, oneOfTexts, scalar } from '../schema.ts';
import { output } from '../output-schema.ts';
import { ui } from '../ui-hints.ts';

/** Maximum number of executions that one poll may start. */
const MAX_ITEMS = 1_000;
export const DEFAULT_ITEMS = 100;

/** The request, as in `http_request`. */
export const pollRequestFields = {
  url: Type.String({
    minLength: 1,
    title: 'URL',
    ...ui({ order: 1, hint: '', placeholder: 'https://api.example.com/orders' }),
    description:
      'An http or https URL without credentials. It may read secrets. Placeholders in the path and query are percent-encoded.',
  }),
  method: Type.Optional(
    oneOfTexts(['GET', 'POST'], { title: 'Method', ...ui({ advanced: true }), default: 'GET' }),
  ),
  query: Type.Optional(
    mapOf(
      Type.Unsafe<Query[string]>({
        type: ['string', 'number', 'boolean', 'null', 'array'],
        items: { type: ['string', 'number', 'boolean'] },
      }),
      {
        description: 'Query parameters to add to the URL. A list repeats the parameter; null omits it.',
        title: 'Query parameters',
        ...ui({ advanced: true, hint: '' }),
      },
    ),
  ),
  headers: Type.Optional(mapOf(scalar(), { ...ui({ advanced: true }) })),
  body: Type.Optional(
    Type.Unsafe<Json>({
      title: 'Body',
      ...ui({ showWhen: { method: 'POST' }, hint: 'Sent as JSON.' }),
      description: 'The request body, sent as JSON. Only with method POST.',
    }),
  ),
  authentication: Type.Optional(authenticationSchema),
  format: Type.Optional(
    oneOfTexts(['json', 'feed'], {
      default: 'json',
      title: 'Response',
      ...ui({ order: 3, hint: '', labels: { json: 'JSON', feed: 'RSS or Atom feed' } }),
      description:
        'What the URL returns: JSON, or a feed (RSS, Atom or JSON Feed), whose entries are the items, with the fields of the rss node.',
    }),
  ),
  items: Type.Optional(
    inputPath({
      title: 'List in the response',
      ...ui({ order: 4, placeholder: 'data.orders', showWhen: { format: 'json' } }),
      description:
        'The path of the list of items in the JSON response. Default: the whole response. Not allowed for a feed.',
    }),
  ),
};

/** Fields of a polling trigger that may read secrets. */
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
    interval: Type.Optional(
      duration({ title: 'Interval', description: 'How often to poll, at least 1s. Set this or cron.' }),
    ),
    cron: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        title: 'Schedule',
        ...ui({ control: 'schedule', order: 2 }),
        description:
          'A cron expression of five fields (minute hour day month weekday), or six with seconds first.',
      }),
    ),
    timezone: Type.Optional(
      Type.String({
        maxLength: 100,
        title: 'Time zone',
        description: 'The time zone of cron: an IANA name such as Europe/Berlin.',
      }),
    ),
    key: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1_000,
        title: 'Item ID',
        ...ui({
          order: 5,
          placeholder: 'id',
          hint: 'A path in the item. Default: the whole item, so that a changed item counts as new, or the ID of a feed entry.',
        }),
        description:
          'Identifies an item: a path in the item such as id, or a template that uses {{ item }}. Default: the whole item, so that a changed item counts as new, or the id of a feed entry.',
      }),
    ),
    first: Type.Optional(
      oneOfTexts(['ignore', 'take'], {
        default: 'ignore',
        title: 'Items that already exist',
        ...ui({ order: 6, hint: '', labels: { ignore: 'Ignore', take: 'Start executions' } }),
        description: 'Whether the first poll starts executions for items that already exist.',
      }),
    ),
    maxItems: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_ITEMS,
        default: DEFAULT_ITEMS,
        title: 'Maximum items per poll',
        ...ui({ advanced: true, hint: 'The next poll continues with the remaining items.' }),
        description:
          'Maximum number of executions that one poll starts. The next poll continues with the remaining items.',
      }),
    ),
    timeout: Type.Optional(
      duration({
        default: '30s',
        title: 'Request timeout',
        ...ui({ advanced: true }),
        description: 'Maximum time for the response, up to 5m.',
      }),
    ),
  },
  {
    title: 'Polling',
    ...output(
      Type.Object({
        item: Type.Unknown(),
        key: Type.String(),
        polled_at: Type.String({ format: 'date-time' }),
      }),
    ),
  },
);
