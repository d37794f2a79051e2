import type { Files } from '../../services/files.service.ts';
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
      async handle({ principal, params, setHeader }) {
        const { name, contentType, bytes } = await files.get(principal, params['id']!);
        // Somebody else's bytes under our origin: to be saved, never to be run or guessed at by a browser.
        setHeader(
          'content-disposition',
          `attachment; filename*=UTF-8''${encodeURIComponent(name.toWellFormed())}`,
        );
        setHeader('x-content-type-options', 'nosniff');
        setHeader('content-security-policy', 'sandbox');
        return new Download(contentType, bytes);
      },
    },
  ];
}
