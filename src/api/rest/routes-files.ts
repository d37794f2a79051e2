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
      summary: 'Fetch the bytes of a file that an execution holds',
      answer: 'bytes',
      also: [{ status: 206, answer: 'bytes', description: 'The part that `Range` asked for.' }],
      takesHeaders: [
        {
          name: 'Range',
          description: 'One range of bytes, such as `bytes=1000-1999`; several ranges get the whole file.',
        },
        {
          name: 'If-Range',
          description: 'The `ETag` of an earlier answer: of any other file the whole is sent.',
        },
      ],
      givesHeaders: [
        { name: 'ETag', description: 'Stands for the content.' },
        { name: 'Content-Range', description: 'Which part of the file it is, when it is a part.' },
      ],
      async handle({ principal, params, headers, setHeader, setStatus }) {
        const ifRange = headers['if-range'];
        const file = await files.get(principal, params['id']!, {
          range: headers.range,
          ifRange: typeof ifRange === 'string' ? ifRange : undefined,
        });
        const { name, contentType, size, etag, range, bytes } = file;
        // Somebody else's bytes under our origin: to be saved, never to be run or guessed at by a browser.
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
