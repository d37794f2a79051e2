import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { Json } from '../../lib/json/json.ts';
import { closed, duration, mapOf, oneOfTexts, scalar } from '../schema.ts';
import { authenticationSchema } from './authentication.ts';
import { fileField } from './file-field.ts';
import { paginationSchema } from './pagination-schema.ts';
import type { Query } from './url.ts';

export const HttpRequestConfig = closed({
  method: Type.Optional(oneOfTexts(['GET', 'POST', 'PUT', 'DELETE', 'PATCH'], { default: 'GET' })),
  url: Type.String({
    minLength: 1,
    description:
      'http or https, without credentials. A placeholder in its path or query is percent-encoded, unless it begins the URL.',
  }),
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
  body: Type.Optional(Type.Unsafe<Json>({ description: 'Sent as body_type says.' })),
  body_type: Type.Optional(
    oneOfTexts(['json', 'form-data', 'form-urlencoded', 'text', 'binary'], {
      description:
        'Default: form-data when there are files, text for a text, binary for a file ({"$file": …}), else json.',
    }),
  ),
  files: Type.Optional(mapOf(fileField, { description: 'Files of a form, by field.' })),
  authentication: Type.Optional(authenticationSchema),
  responses: Type.Optional(
    closed(
      {
        '3xx': Type.Optional(oneOfTexts(['follow', 'return', 'error'], { default: 'follow' })),
        '4xx': Type.Optional(oneOfTexts(['error', 'return'], { default: 'error' })),
        '5xx': Type.Optional(oneOfTexts(['error', 'return'], { default: 'error' })),
      },
      { description: 'What an answer of a class comes to: followed, the result, or an error.' },
    ),
  ),
  responseType: Type.Optional(
    oneOfTexts(['auto', 'file'], {
      default: 'auto',
      description: 'auto: JSON read, text as text, anything else as a file. file: always as a file.',
    }),
  ),
  idleTimeout: Type.Optional(
    duration({
      description:
        'How long nothing may move in either direction. Default: 1m where a file is sent or kept; otherwise only timeout counts.',
    }),
  ),
  proxy: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'The http or https URL of a proxy to go through; with credentials it stands as {{ secrets.NAME }}.',
    }),
  ),
  pagination: Type.Optional(paginationSchema),
});
export type HttpRequestConfig = Static<typeof HttpRequestConfig>;
