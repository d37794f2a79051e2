import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { loopbackCertificate, loopbackKey } from '../servers/tls-certificates.ts';

export type ProjectsService = {
  /** Host and port. */
  readonly address: string;
  readonly received: { readonly url: string; readonly authorization: string | undefined }[];
  /** Called instead of the usual response while it is set. */
  answer: ((response: ServerResponse, url: string) => void) | null;
  /** The client has closed this many connections before it got a response. */
  readonly cancelled: () => number;
  close(): void;
};

const projects = [
  { id: 'p-1', name: 'Apollo' },
  { id: 'p-2', name: 'Gemini' },
  { id: 'p-3', name: 'Mercury' },
];
const fields: Readonly<Record<string, readonly object[]>> = {
  'p-1': [
    { name: 'crew size', type: 'NUMBER', title: 'Crew size', required: true },
    {
      name: 'stage',
      type: 'STATIC_DROPDOWN',
      title: 'Stage',
      options: {
        options: [
          { label: 'On the pad', value: 'pad' },
          { label: 'In orbit', value: 'orbit' },
        ],
      },
    },
    { name: 'manned', type: 'CHECKBOX', title: 'Manned' },
  ],
  'p-2': [{ name: 'docking', type: 'SHORT_TEXT', title: 'Docking' }],
};

/** The service of the fixture pack `demo`: projects with members and fields. */
export async function startProjectsService(): Promise<ProjectsService> {
  let cancelled = 0;
  const server = createServer({ cert: loopbackCertificate, key: loopbackKey }, (request, response) => {
    const { url = '', headers } = request;
    service.received.push({ url, authorization: headers.authorization });
    response.on('close', () => {
      if (!response.writableFinished) cancelled++;
    });
    response.setHeader('content-type', 'application/json');
    if (service.answer !== null) return service.answer(response, url);
    const { pathname, searchParams } = new URL(url, 'https://localhost');
    const [, , id = '', part] = pathname.split('/');
    const search = (searchParams.get('search') ?? '').toLowerCase();
    if (part === 'members') response.end(JSON.stringify({ members: [`Ann of ${id}`, `Bob of ${id}`] }));
    else if (part === 'fields') response.end(JSON.stringify({ fields: fields[id] ?? [] }));
    else
      response.end(
        JSON.stringify({ projects: projects.filter(({ name }) => name.toLowerCase().includes(search)) }),
      );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const service: ProjectsService = {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: [],
    answer: null,
    cancelled: () => cancelled,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return service;
}
