import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, expect, it } from 'vitest';
import type { Mail, MailServer } from '../../contract/mail.ts';
import { startMailServer } from '../../../test/support/servers/smtp-server.ts';
import { sendMail } from './smtp.ts';
import {
  closeAll,
  expectFailure,
  createTestEgressClient,
  neverAborted,
  open,
} from '../../../test/support/egress-client.ts';
import { testCertificate, testKey } from '../../../test/support/servers/tls-certificates.ts';

const usual = getCACertificates('default');
afterEach(closeAll);
afterAll(() => setDefaultCACertificates(usual));

const address = { name: '', address: 'ada@example.com' };
const mail: Mail = {
  messageId: 'one@example.com',
  date: 0,
  from: address,
  to: [address],
  cc: [],
  bcc: [],
  replyTo: [],
  subject: '',
  text: null,
  html: null,
  attachments: [],
};

it.each(['implicit', 'required', 'offered'] as const)(
  'TLS %s: to the checked address, with the name in SNI and in the check of the certificate',
  async (tls) => {
    setDefaultCACertificates([...usual, testCertificate]);
    const names: (string | false)[] = [];
    const mails = await startMailServer({
      key: testKey,
      cert: testCertificate,
      disabledCommands: [],
      allowInsecureAuth: false,
      secure: tls === 'implicit',
      onSecure(_socket, session, done) {
        names.push((session as { servername?: string }).servername ?? false);
        done();
      },
    });
    open.push(mails);
    const egress = createTestEgressClient('127.0.0.1', () =>
      Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
    );
    const send = (host: string) => {
      const server: MailServer = { host, port: mails.port, tls, user: 'ada', password: 'p@ss/word' };
      return sendMail(server, mail, (to) => egress.connect(to, neverAborted));
    };
    expect(await send('weft.test')).toEqual({ accepted: ['ada@example.com'], rejected: [] });
    expect(names).toEqual(['weft.test']);
    expect(mails.received).toMatchObject([{ user: 'ada' }]);
    for (const host of ['wrong.test', '127.0.0.1'])
      expect(await expectFailure(send(host))).toMatchObject({
        type: 'network',
        message: expect.stringContaining('securely'),
      });
    expect(mails.received).toHaveLength(1);
  },
);

it('a connection that is aborted during or after its setup is destroyed', async () => {
  const mails = await startMailServer();
  open.push(mails);
  const egress = createTestEgressClient('127.0.0.1');
  const end = new AbortController();
  const socket = await egress.connect({ host: '127.0.0.1', port: mails.port }, end.signal);
  const made = egress.connect({ host: '127.0.0.1', port: mails.port }, end.signal);
  end.abort();
  expect(await expectFailure(made)).toMatchObject({ type: 'timeout' });
  expect(socket.destroyed).toBe(true);
  expect(await expectFailure(egress.connect({ host: '127.0.0.1', port: 1 }, end.signal))).toMatchObject({
    type: 'timeout',
  });
});

it('a connection goes to no address that is not allowed, by number, by name, or by one of several', async () => {
  const ends = { 'two.test': ['93.184.216.34', '10.0.0.1'], 'meta.test': ['169.254.169.254'] };
  const egress = createTestEgressClient('', (host) =>
    Promise.resolve(
      (ends[host as keyof typeof ends] ?? []).map((one) => ({ address: one, family: 4 as const })),
    ),
  );
  for (const host of ['127.0.0.1', '[::1]', '::ffff:10.0.0.1', 'two.test', 'META.test', 'none.test'])
    expect(await expectFailure(egress.connect({ host, port: 25 }, neverAborted))).toMatchObject({
      type: 'forbidden',
    });
});
