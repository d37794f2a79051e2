import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { limits } from '../../../src/ports/limits.ts';
import { testCertificate, testKey } from '../../support/servers/tls-certificates.ts';
import { validateConfig } from '../../../src/nodes/validate-config.ts';
import { email } from '../../../src/nodes/connectors/email.node.ts';
import { ConnectorFixture } from '../../support/connector-fixture.ts';
import { parseHeaders, startMailServer } from '../../support/servers/smtp-server.ts';
import type { TestMailServer } from '../../support/servers/smtp-server.ts';

const bench = new ConnectorFixture(email);
const base = { service: 'smtp', operation: 'send' };
const plain = { from: 'shop@example.com', to: 'ada@example.com', subject: 'Hello', text: 'Hi' };
const config = (template: JsonObject = {}): JsonObject => ({ ...base, template: { ...plain, ...template } });

async function server(...args: Parameters<typeof startMailServer>): Promise<TestMailServer> {
  const one = await bench.open(startMailServer(...args));
  bench.secret = { value: `smtp://127.0.0.1:${one.port}`, hosts: null };
  return one;
}

/** A server of a few lines, for what a real one never does. */
async function rawServer(talk: (socket: Socket) => void): Promise<{ port: number; closed: Promise<void> }> {
  const sockets = new Set<Socket>();
  let close = (): void => {};
  const closed = new Promise<void>((resolve) => (close = resolve));
  const listener = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', close);
    socket.on('error', () => {});
    socket.resume();
    talk(socket);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;
  bench.opened.push({
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        listener.close(() => resolve());
      }),
  });
  bench.secret = { value: `smtp://127.0.0.1:${port}`, hosts: null };
  return { port, closed };
}

describe('the request', () => {
  it('is one mail with its headers, to everyone of to, cc and bcc', async () => {
    const mails = await server();
    bench.secret.value = `smtp://ada:p%40ss%2Fword@127.0.0.1:${mails.port}`;
    const result = await bench.result(
      config({
        from: 'Größe & Söhne <shop@example.com>',
        to: ['{{ input.email }}', '"Babbage, Charles" <cb@Bücher.example>'],
        cc: 'a@example.com, b@example.com',
        bcc: ['hidden@example.com'],
        reply_to: 'desk@example.com',
        subject: 'Order {{ input.id }} 📦',
        text: 'Dear {{ input.name }}\n.\nend',
        html: '<p>{{ input.name | escape_html }}</p>',
      }),
      { email: 'ada@example.com', id: 17, name: '<Ada>' },
    );
    const all = ['ada@example.com', 'cb@xn--bcher-kva.example', 'a@example.com', 'b@example.com'];
    expect(result).toEqual({
      message_id: expect.stringMatching(/^<[0-9a-f]{40}@example\.com>$/),
      accepted: [...all, 'hidden@example.com'],
      rejected: [],
    });
    const [mail] = mails.received;
    // The server shows the domain decoded.
    const shown = all.map((address) => address.replace('xn--bcher-kva', 'bücher'));
    expect(mail).toMatchObject({
      from: 'shop@example.com',
      to: [...shown, 'hidden@example.com'],
      user: 'ada',
    });
    const headers = parseHeaders(mail?.raw ?? '');
    expect(headers.get('message-id')).toBe((result as { message_id: string }).message_id);
    expect(headers.get('to')).toContain('"Babbage, Charles" <cb@xn--bcher-kva.example>');
    expect(headers.get('reply-to')).toBe('desk@example.com');
    expect(headers.has('bcc')).toBe(false);
    expect(mail?.raw).not.toContain('hidden@');
    expect(mail?.raw).toContain('&lt;Ada&gt;');
    expect(mail?.raw).toContain('\r\n.\r\nend');
  });

  it('has the same Message-ID on every attempt of a node run, and another one in another run', async () => {
    const mails = await server();
    await bench.result(config());
    await bench.result(config(), {}, { attempt: 2 });
    await bench.result(config(), {}, { idempotencyKey: 'another run' });
    const ids = mails.received.map(({ raw }) => parseHeaders(raw).get('message-id'));
    expect(ids[0]).toBe(ids[1]);
    expect(ids[2]).not.toBe(ids[0]);
  });

  it('has attachments: texts, base64, files of the execution', async () => {
    const mails = await server();
    const { rows, contents } = bench.runner();
    contents.set('hash', Buffer.from('PNG'));
    const row = { id: 'file_9', ownerId: 'usr_1', executionId: 'ex_1', hash: 'hash', createdAt: 0 };
    rows.set('file_9', { ...row, name: 'chart.png', contentType: 'image/png', size: 3 });
    const chart = { $file: { id: 'file_9', name: 'chart.png', content_type: 'image/png', size: 3 } };
    await bench.result(
      config({
        attachments: [
          { filename: 'ü\u202e.csv', content: '{{ input.csv }}', content_type: 'text/csv' },
          { filename: 'b.bin', content: 'AAEC', encoding: 'base64' },
          '{{ input.chart }}',
          { filename: 'other.png', content: '{{ input.chart }}' },
        ],
      }),
      { csv: 'a,b\n1,2\n', chart },
    );
    const raw = mails.received[0]?.raw ?? '';
    expect(raw).toMatch(/Content-Type: text\/csv/);
    expect(raw).toContain(Buffer.from('PNG').toString('base64'));
    expect(raw).toContain('AAEC');
    expect(raw).toMatch(/filename=chart\.png/);
    expect(raw).toMatch(/filename=other\.png/);
    const missing = { $file: { ...chart.$file, id: 'file_of_another' } };
    const failure = await bench.failure(config({ attachments: ['{{ input.chart }}'] }), { chart: missing });
    expect(failure).toMatchObject({ type: 'validation', data: { field: 'template.attachments[0]' } });
    expect(mails.received).toHaveLength(1);
  });

  it('may be large, up to a limit', async () => {
    const mails = await server();
    const bytes = Buffer.alloc(20 * 1024 * 1024, 'weft! ');
    const attach = (content: string): JsonObject =>
      config({ attachments: [{ filename: 'big.bin', content, encoding: 'base64' }] });
    await bench.result(attach('{{ input.big }}'), { big: bytes.toString('base64') });
    const body = mails.received[0]?.raw.split('\r\n\r\n').at(-1)?.split('\r\n--')[0] ?? '';
    const hash = (data: Buffer): string => createHash('sha256').update(data).digest('hex');
    expect(hash(Buffer.from(body, 'base64'))).toBe(hash(bytes));
    const over = Buffer.alloc(limits.mailBytes).toString('base64');
    const failure = await bench.failure(attach('{{ input.big }}'), { big: over });
    expect(failure).toMatchObject({ type: 'limit', retryable: false });
    const many = Array.from({ length: limits.mailRecipients }, (_, i) => `a${i}@example.com`);
    await bench.result(config({ to: many }));
    const failed = await bench.failure(config({ to: many, cc: 'b@example.com' }));
    expect(failed).toMatchObject({ type: 'limit', message: expect.stringContaining('100 recipients') });
    expect(mails.connections()).toBe(2);
  });

  it('never contains an injected header', async () => {
    const mails = await server();
    const breaks = ['\r\n', '\n', '\r', '\u0000', '\u0085', '\u2028', '\u2029', '{{\r\n'];
    for (const end of breaks)
      for (const field of ['from', 'to', 'cc', 'bcc', 'reply_to', 'subject'])
        for (const value of [`a@example.com${end}Bcc: e@evil.example`, `A${end}X: y <a@example.com>`]) {
          const failure = await bench.failure(config({ [field]: '{{ input.value }}' }), { value });
          expect([failure.type, (failure.data as JsonObject)['field']]).toEqual([
            'validation',
            `template.${field}`,
          ]);
        }
    const attachment = { filename: '{{ input.name }}', content: 'x', content_type: '{{ input.type }}' };
    for (const [name, type] of [
      ['a\r\nX: y', 'text/plain'],
      ['a', 'text/plain\r\nX: y'],
    ]) {
      const failure = await bench.failure(config({ attachments: [attachment] }), {
        name: name!,
        type: type!,
      });
      expect(failure.type).toBe('validation');
    }
    expect(mails.connections()).toBe(0);
  });

  it('has exactly the headers that it should, whatever the data (random)', async () => {
    const mails = await server();
    const nasty = fc.string({
      unit: fc.constantFrom('Bcc: x', ...Array.from('a@.<>",;:\\()[]{}\r\n\t \u2028üé=?_-')),
      maxLength: 30,
    });
    const seed = 20_261_121;
    await fc.assert(
      fc.asyncProperty(nasty, nasty, nasty, async (subject, name, address) => {
        const before = mails.received.length;
        const outcome = await bench.run(
          config({
            subject: '{{ input.subject }}',
            to: ['{{ input.to }}', 'ada@example.com'],
            from: '{{ input.from }}',
          }),
          { subject, to: address, from: `${name} <shop@example.com>` },
        );
        if (outcome.kind === 'failed') {
          expect(['validation', 'client_error']).toContain(outcome.error.type);
          return;
        }
        expect(mails.received).toHaveLength(before + 1);
        const { raw, from, to } = mails.received.at(-1)!;
        const known = [
          'from',
          'to',
          'subject',
          'message-id',
          'date',
          'mime-version',
          'content-type',
          'content-transfer-encoding',
        ];
        expect([...parseHeaders(raw).keys()].filter((header) => !known.includes(header))).toEqual([]);
        expect(from).toBe('shop@example.com');
        expect(to.at(-1)).toBe('ada@example.com');
      }),
      { seed, numRuns: 150 },
    );
  });
});

describe('responses of the server', () => {
  const refusing = (code: number) => ({
    onRcptTo({ address }: { address: string }, _session: unknown, done: (error?: Error | null) => void) {
      if (!address.startsWith('bad')) return done();
      done(Object.assign(new Error(`no mailbox ${address}`), { responseCode: code }));
    },
  });

  it('some recipients are accepted: the others are listed', async () => {
    await server(refusing(550));
    const result = await bench.result(
      config({ to: ['bad@example.com', 'ada@example.com'], cc: 'bad2@example.com' }),
    );
    expect(result).toMatchObject({
      accepted: ['ada@example.com'],
      rejected: ['bad@example.com', 'bad2@example.com'],
    });
  });

  it.each([
    [550, 'client_error', false],
    [450, 'server_error', undefined],
  ])('without an accepted recipient, with %i: %s', async (code, type, retryable) => {
    await server(refusing(code));
    const failure = await bench.failure(config({ to: 'bad@example.com' }));
    expect(failure).toMatchObject({ type, status: code, message: expect.stringContaining('no mailbox') });
    expect(failure.retryable).toBe(retryable);
  });

  it.each([
    [552, 'client_error', false],
    [451, 'server_error', undefined],
  ])('behind the mail, %i: %s', async (code, type, retryable) => {
    await server({
      onData(stream, _session, done) {
        stream.resume().on('end', () => done(Object.assign(new Error('not now'), { responseCode: code })));
      },
    });
    const failure = await bench.failure(config());
    expect(failure).toMatchObject({ type, status: code });
    expect(failure.retryable).toBe(retryable);
  });

  it('may be that the password is wrong; it is not repeated in the error', async () => {
    const mails = await server();
    bench.secret.value = `smtp://ada:wrong%2Fpass@127.0.0.1:${mails.port}`;
    const failure = await bench.failure(config());
    expect(failure).toMatchObject({ type: 'client_error', retryable: false, status: 535 });
    expect(JSON.stringify(failure)).not.toContain('wrong/pass');
    expect(failure.message).toContain('no such user ada');
  });

  it('is nothing: the node stops at its time-out, and the connection with it', async () => {
    const { closed } = await rawServer(() => {});
    const failure = await bench.failure({ ...config(), timeout: '200ms' }, {}, { timeout: 200 });
    expect(failure.type).toBe('timeout');
    await closed;
  });

  it('does not matter any more when the execution ends', async () => {
    const { closed } = await rawServer((socket) => socket.write('220 hello\r\n'));
    const end = new AbortController();
    setTimeout(() => end.abort(), 100);
    expect(await bench.failure(config(), {}, { signal: () => end.signal })).toMatchObject({
      type: 'stopped',
    });
    await closed;
  });

  it.each([
    ['no SMTP', 'HTTP/1.1 400 Bad Request\r\n\r\n', 'network'],
    ['an end', '', 'network'],
    ['a refusal', '421 too busy\r\n', 'server_error'],
    ['no end', '220-hello\r\n'.repeat(50_000), 'network'],
  ])('may be %s', async (_title, text, type) => {
    await rawServer((socket) => {
      socket.write(text);
      if (text.length < 100) socket.end();
    });
    expect(await bench.failure(config())).toMatchObject({ type });
  });

  it('is a network error when the connection breaks after the mail, because its delivery is unknown', async () => {
    await rawServer((socket) => {
      socket.write('220 hello\r\n');
      socket.on('data', (bytes) => {
        const text = bytes.toString();
        if (text.endsWith('\r\n.\r\n')) socket.destroy();
        else if (text.startsWith('DATA')) socket.write('354 continue\r\n');
        else socket.write('250 fine\r\n');
      });
    });
    expect(await bench.failure(config())).toMatchObject({ type: 'network' });
  });
});

describe('TLS', () => {
  const secure = { key: testKey, cert: testCertificate, disabledCommands: [] };

  it('refuses an untrusted certificate before the password is sent', async () => {
    const offered: string[] = [];
    const options = {
      ...secure,
      onAuth: (auth: { password?: string | null | undefined }) => void offered.push(auth.password ?? ''),
    };
    const starttls = await server(options);
    const implicit = await bench.open(startMailServer({ ...options, secure: true }));
    for (const url of [
      `smtp://ada:p%40ss@127.0.0.1:${starttls.port}`,
      `smtp://ada:p%40ss@127.0.0.1:${starttls.port}?tls=required`,
      `smtps://ada:p%40ss@127.0.0.1:${implicit.port}`,
    ]) {
      bench.made = null;
      bench.secret = { value: url, hosts: null };
      const failure = await bench.failure(config());
      expect([failure.type, failure.message]).toEqual(['network', expect.stringMatching(/securely \(\w+\)/)]);
    }
    expect(offered).toEqual([]);
  });

  it('is not started with ?tls=off, and nothing goes without it with ?tls=required', async () => {
    const mails = await server({ ...secure });
    bench.secret.value += '?tls=off';
    await bench.result(config());
    expect(mails.received).toHaveLength(1);
    const none = await server();
    bench.made = null;
    bench.secret.value = `smtp://ada:p%40ss%2Fword@127.0.0.1:${none.port}?tls=required`;
    const failure = await bench.failure(config());
    expect(failure).toMatchObject({
      type: 'network',
      retryable: false,
      message: expect.stringContaining('no TLS'),
    });
    expect(none.received).toEqual([]);
  });
});

describe('where it may go', () => {
  it('must not be a private address, or outside the hosts of the secret', async () => {
    const mails = await server();
    bench.allowedHosts = '';
    expect(await bench.failure(config())).toMatchObject({ type: 'forbidden' });
    bench.allowedHosts = '127.0.0.1';
    bench.made = null;
    bench.secret = { value: `smtp://127.0.0.1:${mails.port}`, hosts: ['mail.example.com'] };
    const failure = await bench.failure(config());
    expect(failure).toMatchObject({
      type: 'forbidden',
      message: expect.stringContaining('mail.example.com'),
    });
    bench.made = null;
    bench.secret = { ...bench.secret, hosts: [`127.0.0.1:${mails.port}`] };
    await bench.result(config());
    expect(mails.connections()).toBe(1);
  });

  it('must respond', async () => {
    bench.secret.value = 'smtp://127.0.0.1:1';
    expect(await bench.failure(config())).toMatchObject({
      type: 'network',
      message: '127.0.0.1:1 refused the connection',
    });
  });
});

describe('configuration', () => {
  it.each([
    ['smtp://ada:secret-word', 'x'],
    ['http://ada:secret-word@x', 'x'],
    ['secret-word', 'x'],
    ['smtp://ada:100%secret-word@mail.example.com', 'x'],
    ['smtp://ada:secret-word@mail.example.com/path', 'x'],
    ['smtp://mail.example.com?pool=true', 'x'],
  ])('a secret that is no address of a server is refused without being shown: %s', async (value) => {
    bench.secret.value = value;
    const failure = await bench.failure(config());
    expect(failure).toMatchObject({ type: 'validation', data: { field: 'credentials' } });
    expect(JSON.stringify(failure)).not.toContain('secret-word');
  });

  it.each([
    [{ credentials: 'smtp://ada:pw@mail.example.com' }, 'credentials'],
    [{ service: 'imap' }, 'service'],
    [{ operation: 'receive' }, 'operation'],
    [{ template: { ...plain, from: 'a@b.c, d@e.f' } }, 'template.from'],
    [{ template: { ...plain, to: 'nobody' } }, 'template.to'],
    [{ template: { ...plain, to: ['a@example.com', 'b@-'] } }, 'template.to'],
    [{ template: { ...plain, to: [] } }, 'template.to'],
    [{ template: { ...plain, cc: 'a@b@c <x>' } }, 'template.cc'],
    [{ template: { ...plain, subject: 'a\nb' } }, 'template.subject'],
    [{ template: { ...plain, subjct: 'a' } }, 'template.subjct'],
    [{ template: { ...plain, attachments: 'x' } }, 'template.attachments'],
    [{ template: { ...plain, attachments: ['x'] } }, 'template.attachments[0]'],
    [{ template: { ...plain, attachments: [{ filename: 'a' }] } }, 'template.attachments[0].content'],
    [{ template: { ...plain, attachments: [{ content: 'a' }] } }, 'template.attachments[0].filename'],
    [{ template: { ...plain, attachments: [{ path: '/etc/passwd' }] } }, 'template.attachments[0].path'],
  ] as [JsonObject, string][])('%j is an error of %2$s', (part, field) => {
    const errors = validateConfig(email, {
      ...base,
      credentials: '{{ secrets.MAIL }}',
      template: plain,
      ...part,
    });
    expect(errors.map((problem) => problem.field)).toContain(field);
  });

  it('invalid base64 is reported', async () => {
    await server();
    const failure = await bench.failure(
      config({ attachments: [{ filename: 'a', content: 'nö', encoding: 'base64' }] }),
    );
    expect(failure).toMatchObject({ data: { field: 'template.attachments[0].content' } });
  });
});
