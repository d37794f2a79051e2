import type { Files } from '../../services/executions/files.service.ts';
import type { RangeRequest, StoredFile } from '../../services/file-reader.ts';
import { createRangeHeaders } from '../files/file-download.ts';
import { Download, type Context, type Route } from './route.ts';

/** The fields of a route that sends a file or a part of it. */
export const fileRoute = {
  response: 'bytes',
  otherResponses: [{ status: 206, response: 'bytes', description: 'The range that `Range` requests.' }],
  requestHeaders: [
    {
      name: 'Range',
      description:
        'A single byte range, such as `bytes=1000-1999`. For several ranges the whole file is returned.',
    },
    {
      name: 'If-Range',
      description:
        'The `ETag` of an earlier response. If the file is a different one, the whole file is returned.',
    },
  ],
  responseHeaders: [
    { name: 'ETag', description: 'Identifies the content.' },
    { name: 'Content-Range', description: 'The returned range, in a partial response.' },
  ],
} satisfies Partial<Route>;

export function readRange(headers: Context['headers']): RangeRequest {
  const ifRange = headers['if-range'];
  return { range: headers.range, ifRange: typeof ifRange === 'string' ? ifRange : undefined };
}

export function sendFile(
  file: StoredFile,
  { setHeader, setStatus }: Pick<Context, 'setHeader' | 'setStatus'>,
): Download {
  const { headers, status, length } = createRangeHeaders(file);
  for (const [name, value] of Object.entries(headers)) setHeader(name, value);
  if (status !== 200) setStatus(status);
  return new Download(file.contentType, length, file.bytes);
}

export function fileRoutes(files: Files): Route[] {
  return [
    {
      method: 'GET',
      path: '/files/{id}',
      operation: 'getFile',
      status: 200,
      scope: 'executions:read',
      summary: 'Download a file of an execution',
      ...fileRoute,
      async handle({ principal, params, headers, setHeader, setStatus }) {
        return sendFile(await files.get(principal, params['id']!, readRange(headers)), {
          setHeader,
          setStatus,
        });
      },
    },
  ];
}
