import { Type } from 'typebox';
import type { FieldError } from '../../../contract/errors.ts';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { isObject } from '../../../lib/json/json.ts';
import { findBucketError, findEndpointError, findRegionError } from '../../../lib/network/bucket-url.ts';
import { parseDuration } from '../../../lib/time/duration.ts';
import { toOutcome } from '../../data/time-slice.ts';
import { defineNode } from '../../define-node.ts';
import { filenameField } from '../../files/file-output.ts';
import { validateHeader } from '../../http-header.ts';
import { invalid, invalidFields } from '../../outcome.ts';
import { closed, duration, mapOf, oneOfTexts, tagged } from '../../schema.ts';
import { isTemplated } from '../../template-mode.ts';
import { ui } from '../../ui-hints.ts';
import { credentialsField, CredentialsError, validateCredentials } from '../credentials.ts';
import { runOperation } from './s3-operations.ts';
import type { S3Config } from './s3-config.ts';
import { findKeyError } from './s3-request.ts';

const MAX_OBJECTS = 10_000;
const MIN_EXPIRY_MS = 1_000;
/** The limit of S3: seven days. */
const MAX_EXPIRY_MS = 604_800_000;
const DEFAULT_TIMEOUT_MS = 60_000;
const TRANSFER_TIMEOUT_MS = 3_600_000;

const text = (maxLength: number, description: string, notes = {}) =>
  Type.String({ minLength: 1, maxLength, description, ...notes });
const key = text(4_096, 'The key of the object, such as reports/2026/january.pdf.');
const place = {
  credentials: credentialsField(
    'The secret contains JSON with access_key_id, secret_access_key and, for temporary credentials, session_token',
  ),
  bucket: text(255, 'The name of the bucket.'),
  region: Type.Optional(text(64, 'The region of the bucket.', { default: 'us-east-1' })),
  endpoint: Type.Optional(
    text(2_048, 'The URL of an S3-compatible service. Default: Amazon S3 in the region.', {
      ...ui({ placeholder: 'https://minio.example.com' }),
    }),
  ),
  path_style: Type.Optional(
    Type.Boolean({
      title: 'Bucket in the path',
      ...ui({ advanced: true }),
      description:
        'Whether the bucket is part of the path instead of the host name. Default: only with an endpoint.',
    }),
  ),
};
const operation = <const T extends string>(name: T) => Type.Literal(name);

const config = tagged('operation', [
  closed(
    {
      operation: operation('list'),
      ...place,
      prefix: Type.Optional(text(4_096, 'Lists only keys that start with this text.')),
      delimiter: Type.Optional(
        text(
          16,
          'Groups the keys by the text up to this delimiter, such as /. The groups are in prefixes of the result.',
        ),
      ),
      start_after: Type.Optional(
        text(4_096, 'Lists only keys after this one, in the order of their bytes.', {
          title: 'Start after',
          ...ui({ advanced: true }),
        }),
      ),
      max_objects: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_OBJECTS,
          default: 1_000,
          title: 'Maximum objects',
          description: 'The maximum number of objects and prefixes. is_truncated is true if there are more.',
        }),
      ),
    },
    { title: 'List objects' },
  ),
  closed(
    { operation: operation('get'), ...place, key, filename: filenameField('the last part of the key') },
    { title: 'Get object' },
  ),
  closed(
    {
      operation: operation('put'),
      ...place,
      key,
      content: Type.Unsafe<Json>({
        description: 'A string or a file ({"$file": …}), up to 5 GiB.',
      }),
      content_type: Type.Optional(
        text(255, 'The media type. Default: that of the file, or text/plain for a string.', {
          title: 'Media type',
          ...ui({ advanced: true }),
        }),
      ),
      metadata: Type.Optional(
        mapOf(Type.String({ maxLength: 2_048 }), {
          maxProperties: 100,
          description: 'Metadata to store with the object, as {name: text}.',
          ...ui({ advanced: true }),
        }),
      ),
    },
    { title: 'Put object' },
  ),
  closed(
    {
      operation: operation('copy'),
      ...place,
      source_key: text(4_096, 'The key of the object to copy.', { title: 'Source key' }),
      source_bucket: Type.Optional(
        text(255, 'The bucket of the object to copy. Default: the same bucket.', {
          title: 'Source bucket',
          ...ui({ advanced: true }),
        }),
      ),
      key,
    },
    { title: 'Copy object' },
  ),
  closed({ operation: operation('delete'), ...place, key }, { title: 'Delete object' }),
  closed(
    {
      operation: operation('presign'),
      ...place,
      key,
      method: Type.Optional(
        oneOfTexts(['GET', 'PUT'], {
          default: 'GET',
          description: 'What the URL allows: to download (GET) or to upload (PUT) the object.',
        }),
      ),
      expires_in: Type.Optional(
        duration({
          default: '1h',
          title: 'Expires in',
          description: 'How long the URL is valid, from 1s to 7d.',
        }),
      ),
    },
    { title: 'Create a presigned URL' },
  ),
]);

export const s3 = defineNode({
  type: 's3',
  version: '1.0.0',
  name: 'S3',
  category: 'connector',
  description:
    'Lists, reads, writes, copies and deletes objects in a bucket of Amazon S3 or a compatible service such as MinIO or Cloudflare R2, and creates presigned URLs. Objects are transferred as files in pieces, so they may be larger than the memory. list returns {objects, prefixes, is_truncated}; get {key, file, etag, last_modified, metadata}; put {key, size, etag, version_id}; copy {key, etag, version_id}; delete {key, version_id}; presign {key, method, url, expires_at}. After a crash an operation may run again, with the same result: put and copy write the same object again, and delete succeeds if the object does not exist. In a bucket with versions, a repeated put, copy or delete creates one more version.',
  icon: 'hard-drive',
  keywords: [
    's3',
    'aws',
    'object',
    'storage',
    'bucket',
    'minio',
    'r2',
    'upload',
    'download',
    'file',
    'presign',
  ],
  config,
  templates: { operation: 'literal', method: 'literal' },
  outputs: [{ name: 'out', type: 'object', description: 'The result of the operation' }],
  effects: 'external',
  secrets: { credentials: 'request' },
  timeout: DEFAULT_TIMEOUT_MS,
  timeoutFor: ({ operation: name }) =>
    name === 'get' || name === 'put' || name === 'copy' ? TRANSFER_TIMEOUT_MS : DEFAULT_TIMEOUT_MS,
  check: (given) => [...validateCredentials(given), ...validate(given, true)],
  async run(ctx, given) {
    const errors = validate(given as JsonObject, false);
    if (errors.length > 0) return invalidFields(errors);
    try {
      return await runOperation(ctx, given as S3Config);
    } catch (error) {
      if (error instanceof CredentialsError) return invalid('credentials', error.message);
      return toOutcome(error);
    }
  },
  examples: [
    {
      title: 'Store a file',
      config: {
        operation: 'put',
        credentials: '{{ secrets.S3 }}',
        bucket: 'reports',
        region: 'eu-central-1',
        key: 'orders/{{ input.id }}.pdf',
        content: '{{ input.invoice }}',
      },
      input: {
        id: 17,
        invoice: { $file: { id: 'file_17', name: 'a.pdf', content_type: 'application/pdf', size: 9000 } },
      },
      outputs: {
        out: {
          key: 'orders/17.pdf',
          size: 9000,
          etag: '900150983cd24fb0d6963f7d28e17f72',
          version_id: null,
        },
      },
    },
    {
      title: 'List the objects of a folder',
      config: {
        operation: 'list',
        credentials: '{{ secrets.S3 }}',
        bucket: 'reports',
        endpoint: 'https://minio.example.com',
        prefix: 'orders/',
        delimiter: '/',
      },
      input: {},
      outputs: {
        out: {
          objects: [
            {
              key: 'orders/17.pdf',
              size: 9000,
              last_modified: '2026-01-31T12:00:00.000Z',
              etag: '900150983cd24fb0d6963f7d28e17f72',
              storage_class: 'STANDARD',
            },
          ],
          prefixes: ['orders/2025/'],
          is_truncated: false,
        },
      },
    },
    {
      title: 'A link to download an object',
      config: {
        operation: 'presign',
        credentials: '{{ secrets.S3 }}',
        bucket: 'reports',
        key: 'orders/{{ input.id }}.pdf',
        expires_in: '10m',
      },
      input: { id: 17 },
    },
  ],
});

/** Validation that the schema cannot express. `isTemplate`: values with placeholders are validated later. */
function validate(given: JsonObject, isTemplate: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const check = (field: string, find: (value: string) => string | null): void => {
    const value = given[field];
    if (typeof value !== 'string' || (isTemplate && isTemplated(value))) return;
    const issue = find(value);
    if (issue !== null) errors.push({ field, issue });
  };
  check('bucket', findBucketError);
  check('source_bucket', findBucketError);
  check('region', findRegionError);
  check('endpoint', findEndpointError);
  check('key', findKeyError);
  check('source_key', findKeyError);
  check('prefix', (prefix) => (prefix.isWellFormed() ? null : 'must be valid Unicode text'));
  check('start_after', (after) => (after.isWellFormed() ? null : 'must be valid Unicode text'));
  if (given['operation'] === 'presign')
    check('expires_in', (expiry) => {
      const ms = parseDuration(expiry);
      return ms !== null && ms >= MIN_EXPIRY_MS && ms <= MAX_EXPIRY_MS ? null : 'must be from 1s to 7d';
    });
  const { metadata } = given;
  for (const [name, value] of isObject(metadata) ? Object.entries(metadata) : []) {
    const error = typeof value === 'string' ? validateHeader('metadata', name, value, new Set()) : null;
    if (error !== null) errors.push(error);
  }
  return errors;
}
