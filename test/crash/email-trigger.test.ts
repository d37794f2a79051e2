import { afterEach, describe, expect, test } from 'vitest';
import { createMessage, startMailboxFixture, type MailboxFixture } from '../support/mailbox-fixture.ts';
import { chooseSeed, createSeededRandom } from '../support/seeded-random.ts';
import { imapProgram } from '../support/servers/imap-server.ts';
import { waitUntil } from '../support/service.ts';

const KILLS = 20;
const MAILS_PER_KILL = 10;
const MAILS = KILLS * MAILS_PER_KILL;
/** The latest ms at which the service is killed: at any moment, or after its first executions started. */
const MAX_LIFE_MS = 2_500;
const MAX_DELAY_MS = 200;

function createMail(number: number): string {
  return createMessage(
    { Subject: `mail ${number}`, 'MIME-Version': '1.0', 'Content-Type': 'multipart/mixed; boundary="b"' },
    `--b\r\n\r\nHello\r\n--b\r\nContent-Type: text/plain; name="${number}.txt"\r\nContent-Disposition: attachment\r\n\r\n${number}\r\n--b--\r\n`,
  );
}

describe.skipIf(imapProgram === null)('an email trigger', () => {
  let mail: MailboxFixture | null = null;
  afterEach(async () => {
    await mail?.close();
  });

  test(
    'killed repeatedly while messages arrive: each message starts once, and is moved afterwards',
    async () => {
      const random = createSeededRandom(chooseSeed('CRASH_SEED')).next;
      mail = await startMailboxFixture();
      const { imap } = mail;
      const id = await mail.addTrigger({ mark_seen: true, move_to: 'Archive', maxItems: 1_000 });
      const reached: number[] = [];
      for (let kill = 0; kill < KILLS; kill++) {
        for (let i = 0; i < MAILS_PER_KILL; i++) imap.deliver(createMail(kill * MAILS_PER_KILL + i));
        const before = reached.at(-1) ?? 0;
        if (kill % 2 === 0) await mail.waitForCount(id, before + 1);
        await new Promise((resolve) =>
          setTimeout(resolve, random() * (kill % 2 === 0 ? MAX_DELAY_MS : MAX_LIFE_MS)),
        );
        await mail.service.kill9();
        // No message leaves the mailbox before its execution is on disk.
        const archived = imap.list('Archive').length;
        await mail.restart();
        const started = await mail.count(id);
        expect(started).toBeGreaterThanOrEqual(archived);
        reached.push(started);
      }
      await mail.waitForCount(id, MAILS, 120_000);
      await waitUntil(
        () => Promise.resolve(imap.list('Archive').length),
        (archived) => archived === MAILS,
        60_000,
      );
      const messages = await mail.received(id);
      expect(messages).toHaveLength(MAILS);
      expect(new Set(messages.map(({ subject }) => subject)).size).toBe(MAILS);
      expect(imap.list('Archive').every((name) => name.endsWith('S'))).toBe(true);
      for (const { subject, attachments } of messages) {
        const [file] = attachments;
        expect(`mail ${file?.$file.name}`).toBe(`${subject}.txt`);
        const content = await mail.call('GET', `/files/${file?.$file.id}`);
        expect([content.status, `mail ${content.text.trim()}`]).toEqual([200, subject]);
      }
      // Kills fell between the executions.
      expect(new Set(reached).size).toBeGreaterThan(5);
      console.log(`email trigger: executions on disk after each kill: ${reached.join(', ')}`);
    },
    // Twenty starts of the service.
    400_000,
  );
});
