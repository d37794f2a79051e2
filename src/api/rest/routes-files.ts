import type { Files } from '../../services/executions/files.service.ts';
import { Download, type Route } from './route.ts';

export function fileRoutes(files: Files): Route[] {
  return [
    {
      method: 'GET',
      path: '/files/{id}',
      operation: 'getFile',
      status: 200,
      scope: 'executions:read',
      summary: 'Download a file of an execution',
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
      async handle({ principal, params, headers, setHeader, setStatus }) {
        const ifRange = headers['if-range'];
        const file = await files.get(principal, params['id']!, {
          range: headers.range,
          ifRange: typeof ifRange === 'string' ? ifRange : undefined,
        });
        const { name, contentType, size, etag, range, bytes } = file;
        // Untrusted content on the origin of the service: browsers must save it, not render it or guess its
        // type.
        setHeader(
          'content-disposition',
          `attachment; filename*=UTF-8''${encodeURIComponent(name.toWellFormed())}`,
        );
        setHeader('x-content-type-options', 'nosniff');
        setHeader('content-security-policy', 'sandbox');
        setHeader('accept-ranges', 'bytes');
        setHeader('etag', etag);
        if (range === null) return new Download(contentType, size, bytes);
        setStatus(206);
        setHeader('content-range', `bytes ${range.start}-${range.end - 1}/${size}`);
        return new Download(contentType, range.end - range.start, bytes);
      },
    },
  ];
}
