import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { Json } from '../../lib/json/json.ts';
import { closed, duration, mapOf, oneOfTexts, scalar } from '../schema.ts';
import { authenticationSchema } from './authentication.ts';
import { fileField } from './file-field.ts';
import { paginationSchema } from './pagination-schema.ts';
import type { Query } from './url.ts';
import { ui } from '../ui-hints.ts';

const METHODS_WITH_BODY = ['POST', 'PUT', 'PATCH', 'DELETE'];

export const HttpRequestConfig = closed({
  method: Type.Optional(
    oneOfTexts(['GET', 'POST', 'PUT', 'DELETE', 'PATCH'], {
      title: 'Method',
      ...ui({ order: 1 }),
      default: 'GET',
    }),
  ),
  url: Type.String({
    minLength: 1,
    title: 'URL',
    ...ui({ order: 2, hint: '', placeholder: 'https://api.example.com/orders' }),
    description:
      'An http or https URL without credentials. Placeholders in the path and query are percent-encoded, except at the start of the URL.',
  }),
  query: Type.Optional(
    mapOf(
      Type.Unsafe<Query[string]>({
        type: ['string', 'number', 'boolean', 'null', 'array'],
        items: { type: ['string', 'number', 'boolean'] },
      }),
      {
        description: 'Query parameters to add to the URL. A list repeats the parameter; null omits it.',
        title: 'Query parameters',
        ...ui({ order: 3, hint: '' }),
      },
    ),
  ),
  headers: Type.Optional(mapOf(scalar(), { ...ui({ order: 4 }) })),
  body: Type.Optional(
    Type.Unsafe<Json>({
      title: 'Body',
      ...ui({ order: 5, showWhen: { method: METHODS_WITH_BODY }, hint: '' }),
      description: 'The request body, encoded according to body_type.',
    }),
  ),
  body_type: Type.Optional(
    oneOfTexts(['json', 'form-data', 'form-urlencoded', 'text', 'binary'], {
      title: 'Body type',
      ...ui({
        order: 6,
        showWhen: { method: METHODS_WITH_BODY },
        hint: 'Default: the type of the body.',
        labels: {
          json: 'JSON',
          'form-data': 'Form (multipart)',
          'form-urlencoded': 'Form (URL-encoded)',
          text: 'Text',
          binary: 'File',
        },
      }),
      description:
        'Default: form-data if files are set, text for a string, binary for a file ({"$file": …}), otherwise json.',
    }),
  ),
  files: Type.Optional(
    mapOf(fileField, {
      title: 'Files',
      ...ui({ advanced: true, showWhen: { method: METHODS_WITH_BODY } }),
      description: 'Files of the form by field name.',
    }),
  ),
  authentication: Type.Optional(authenticationSchema),
  responses: Type.Optional(
    closed(
      {
        '3xx': Type.Optional(oneOfTexts(['follow', 'return', 'error'], { default: 'follow' })),
        '4xx': Type.Optional(oneOfTexts(['error', 'return'], { default: 'error' })),
        '5xx': Type.Optional(oneOfTexts(['error', 'return'], { default: 'error' })),
      },
      {
        title: 'Status handling',
        ...ui({ advanced: true }),
        description:
          'How responses are handled by status class: follow the redirect, return the result, or fail.',
      },
    ),
  ),
  responseType: Type.Optional(
    oneOfTexts(['auto', 'file'], {
      default: 'auto',
      title: 'Response format',
      ...ui({ advanced: true, hint: '', labels: { auto: 'Detect', file: 'File' } }),
      description:
        'auto parses JSON, returns text as a string and anything else as a file. file always returns a file.',
    }),
  ),
  idleTimeout: Type.Optional(
    duration({
      title: 'Idle timeout',
      ...ui({ advanced: true }),
      description:
        'Maximum time without data in either direction. Default: 1m if a file is sent or received; otherwise only timeout applies.',
    }),
  ),
  proxy: Type.Optional(
    Type.String({
      minLength: 1,
      title: 'Proxy',
      ...ui({ advanced: true, placeholder: 'http://proxy.example.com:8080' }),
      description: 'The http or https URL of a proxy. If it contains credentials, use {{ secrets.NAME }}.',
    }),
  ),
  pagination: Type.Optional({ ...paginationSchema, ...ui({ advanced: true }) }),
});
export type HttpRequestConfig = Static<typeof HttpRequestConfig>;
/** A configuration that another node type fills in: any method, and the time limit of the attempt. */
export type RequestConfig = Omit<HttpRequestConfig, 'method'> & { method?: string; timeout?: string };
