import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { imapProgram } from '../../support/servers/imap-server.ts';
import { createMessage, startMailboxFixture, type MailboxFixture } from '../../support/mailbox-fixture.ts';
import { waitUntil } from '../../support/service.ts';

/* The email trigger of the built service, with Dovecot as the mail server. */

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

function createMultipart(subject: string): string {
  return createMessage(
    {
      Subject: subject,
      Cc: 'Bob <bob@example.com>, carol@example.com',
      Date: 'Mon, 05 Jan 2026 11:00:00 +0100',
      'Message-ID': '<17@example.com>',
      'In-Reply-To': '<16@example.com>',
      References: '<15@example.com> <16@example.com>',
      'MIME-Version': '1.0',
      'Content-Type': 'multipart/mixed; boundary="b"',
    },
    [
      '--b',
      'Content-Type: multipart/alternative; boundary="a"',
      '',
      '--a',
      'Content-Type: text/plain; charset=utf-8',
      '',
      'Grüße',
      '--a',
      'Content-Type: text/html; charset=utf-8',
      '',
      '<p>Grüße</p>',
      '--a--',
      '--b',
      "Content-Type: image/png; name*=UTF-8''gr%C3%BC%C3%9Fe.png",
      'Content-Transfer-Encoding: base64',
      'Content-Disposition: attachment',
      '',
      PNG.toString('base64'),
      '--b--',
      '',
    ].join('\r\n'),
  );
}

describe.skipIf(imapProgram === null)('an email trigger', () => {
  let mail: MailboxFixture;
  beforeAll(async () => {
    mail = await startMailboxFixture();
  });
  afterAll(() => mail.close());

  test('starts one execution for each new message, with its texts and its attachments as files', async () => {
    mail.imap.deliver(createMessage({ Subject: 'old' }));
    const id = await mail.addTrigger();
    mail.imap.deliver(createMultipart('=?utf-8?q?Bestellung_=E2=82=AC?='));
    const [message] = await mail.waitFor(id, 1);
    expect(message).toMatchObject({
      from: { name: 'Ada', address: 'ada@example.com' },
      to: [{ name: '', address: 'orders@example.com' }],
      cc: [
        { name: 'Bob', address: 'bob@example.com' },
        { name: '', address: 'carol@example.com' },
      ],
      subject: 'Bestellung €',
      date: '2026-01-05T10:00:00.000Z',
      message_id: '<17@example.com>',
      in_reply_to: '<16@example.com>',
      references: ['<15@example.com>', '<16@example.com>'],
      text: expect.stringContaining('Grüße') as string,
      html: expect.stringContaining('<p>Grüße</p>') as string,
      flags: [],
      problem: null,
    });
    const [file] = message!.attachments;
    expect(file!.$file).toMatchObject({ name: 'grüße.png', content_type: 'image/png', size: PNG.length });
    const { executions } = (await mail.call('GET', `/workflows/${id}/executions`)).body as {
      executions: { id: string; trigger: { type: string } }[];
    };
    expect(executions[0]!.trigger).toMatchObject({ type: 'email', node_id: 'inbox' });
    const content = await fetch(`${mail.service.url}/files/${file!.$file.id}`, {
      headers: { authorization: await authorize() },
    });
    expect([content.status, Buffer.from(await content.arrayBuffer()).equals(PNG)]).toEqual([200, true]);
    // The message stays unread.
    expect(mail.imap.list().filter((name) => name.endsWith('S'))).toEqual([]);
  });

  async function authorize(): Promise<string> {
    const body = { email: 'admin@example.com', password: 'correct horse battery staple' };
    const { token } = (await mail.call('POST', '/auth/login', { body })).body as { token: string };
    return `Bearer ${token}`;
  }

  test('uses STARTTLS, searches, and marks or moves a message after its execution has started', async () => {
    const marking = await mail.addTrigger({
      port: mail.imap.plainPort,
      tls: 'starttls',
      subject: 'invoice',
      from: 'ada@',
      unseen: true,
      mark_seen: true,
    });
    const moving = await mail.addTrigger({ subject: 'archive me', move_to: 'Archive' });
    mail.imap.deliver(createMessage({ Subject: 'An invoice' }));
    mail.imap.deliver(createMessage({ Subject: 'An invoice', From: 'eve@example.com' }));
    mail.imap.deliver(createMessage({ Subject: 'Please archive me' }));
    expect((await mail.waitFor(marking, 1)).map(({ subject }) => subject)).toEqual(['An invoice']);
    expect((await mail.waitFor(moving, 1)).map(({ subject }) => subject)).toEqual(['Please archive me']);
    const [marked, moved] = await waitUntil(
      () =>
        Promise.resolve([mail.imap.list().filter((name) => name.endsWith('S')), mail.imap.list('Archive')]),
      ([seen, archived]) => seen!.length === 1 && archived!.length === 1,
    );
    expect([marked!.length, moved!.length]).toEqual([1, 1]);
    // Both triggers have polled again since, without a further execution.
    expect(await mail.received(marking)).toHaveLength(1);
    expect(await mail.trigger(marking)).toMatchObject({ last_error: null });
  });

  test('reads old and damaged encodings, and messages that are no messages', async () => {
    const id = await mail.addTrigger();
    const base = { 'MIME-Version': '1.0' };
    mail.imap.deliver(
      Buffer.concat([
        Buffer.from(
          createMessage(
            {
              ...base,
              Subject: '=?iso-2022-jp?B?GyRCJUYlOSVIGyhC?=',
              'Content-Type': 'text/plain; charset=shift_jis',
            },
            '',
          ),
        ),
        Buffer.from([0x83, 0x65, 0x83, 0x58, 0x83, 0x67]),
      ]),
    );
    mail.imap.deliver(
      Buffer.concat([
        Buffer.from(
          createMessage({ ...base, Subject: 'koi', 'Content-Type': 'text/plain; charset=koi8-r' }, ''),
        ),
        Buffer.from([0xf4, 0xc5, 0xd3, 0xd4]),
      ]),
    );
    mail.imap.deliver(
      createMessage({ ...base, Subject: 'unknown', 'Content-Type': 'text/plain; charset=x-none' }, 'plain'),
    );
    mail.imap.deliver(
      createMessage(
        { ...base, Subject: 'cut', 'Content-Type': 'multipart/mixed; boundary="b"' },
        '--b\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\n!!!!',
      ),
    );
    mail.imap.deliver(Buffer.from(Array.from({ length: 4_000 }, (_, i) => (i * 7919) % 251)));
    mail.imap.deliver('\r\n');
    const messages = await mail.waitFor(id, 6);
    expect(messages).toHaveLength(6);
    expect(messages.map(({ subject, text }) => [subject, text?.trim().slice(0, 20)]).slice(0, 3)).toEqual([
      ['テスト', 'テスト'],
      ['koi', 'Тест'],
      ['unknown', 'plain'],
    ]);
    expect(messages[3]).toMatchObject({ subject: 'cut' });
    expect(await mail.trigger(id)).toMatchObject({ last_error: null });
  });

  test('a message that is too large or too complex has its headers and a problem, and blocks no other one', async () => {
    const id = await mail.addTrigger();
    const filler = `${'x'.repeat(76)}\r\n`.repeat(500_000);
    mail.imap.deliver(createMessage({ Subject: 'huge' }, filler));
    const parts = Array.from({ length: 1_100 }, () => '--b\r\n\r\nx\r\n').join('');
    mail.imap.deliver(
      createMessage(
        { Subject: 'parts', 'MIME-Version': '1.0', 'Content-Type': 'multipart/mixed; boundary="b"' },
        parts,
      ),
    );
    mail.imap.deliver(createMessage({ Subject: 'after' }));
    const messages = await mail.waitFor(id, 3, 60_000);
    expect(messages.map(({ subject, text, problem }) => [subject, text, problem])).toEqual([
      [
        'huge',
        null,
        expect.stringMatching(/^The message has 3\d{7} bytes; messages of more than 37748736 bytes/),
      ],
      ['parts', null, expect.stringMatching(/^The message cannot be read: /)],
      ['after', expect.stringContaining('Hello'), null],
    ]);
  });

  test('a changed UID validity starts only messages that were received since', async () => {
    mail.imap.deliver(createMessage({ Subject: 'early' }));
    const id = await mail.addTrigger({ subject: 'early' });
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    mail.imap.deliver(createMessage({ Subject: 'early 2' }));
    await mail.waitFor(id, 1);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    mail.imap.renumber();
    mail.imap.deliver(createMessage({ Subject: 'early 3' }));
    await waitUntil(
      () => mail.received(id),
      (found) => found.some(({ subject }) => subject === 'early 3'),
    );
    const subjects = (await mail.received(id)).map(({ subject }) => subject);
    expect(subjects).toHaveLength(2);
    expect(new Set(subjects)).toEqual(new Set(['early 2', 'early 3']));
  });

  test('a batch that exceeds maxItems continues with the next poll, from the oldest', async () => {
    for (let i = 0; i < 5; i++) mail.imap.deliver(createMessage({ Subject: `batch ${i}` }));
    const id = await mail.addTrigger({ first: 'take', subject: 'batch', maxItems: 2 });
    const messages = await mail.waitFor(id, 5);
    expect(messages.map(({ subject }) => subject)).toEqual(Array.from({ length: 5 }, (_, i) => `batch ${i}`));
  });
});
