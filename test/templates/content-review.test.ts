import { afterAll, beforeAll, expect, test } from 'vitest';
import { submitForm } from '../support/forms/submit-form.ts';
import { startMailServer, type TestMailServer } from '../support/servers/smtp-server.ts';
import { waitUntil } from '../support/service.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { useService } from '../support/use-service.ts';
import { install } from './template.ts';

const service = useService();
let mail: TestMailServer;
let upstream: Upstream;

beforeAll(async () => {
  [mail, upstream] = await Promise.all([startMailServer(), startUpstream()]);
  await install(
    service.api,
    'content-review',
    { reviewer: 'editor@example.com', publish_url: `${upstream.url}/posts` },
    { MAIL_SERVER: `smtp://127.0.0.1:${mail.port}?tls=off` },
  );
});
afterAll(async () => {
  await mail.close();
  await upstream.close();
});

const author = 'author@example.com';
const decode = (raw: string): string => raw.replaceAll('=\r\n', '').replaceAll('=3D', '=');
const mailTo = async (address: string, count: number): Promise<string> => {
  const all = await waitUntil(
    () => Promise.resolve(mail.received.filter(({ to }) => to.includes(address))),
    (received) => received.length === count,
  );
  return decode(all.at(-1)!.raw);
};

/** Proposes a text, and returns the link of the reviewer. */
async function submitProposal(title: string, reviews: number): Promise<string> {
  const sent = await submitForm(`${service.weft.url}/forms/propose`, { author, title, text: 'Bees dance.' });
  expect(sent.html).toContain('You will get an email');
  return /https?:\/\/\S+\/v1\/decide\/\S+/.exec(await mailTo('editor@example.com', reviews))![0];
}

test('a reviewer edits a text and publishes it', async () => {
  const link = await submitProposal('Bees', 1);
  expect(await (await fetch(link)).text()).toContain('Bees dance.</textarea>');
  const body = new URLSearchParams({ choice: 'publish', v_text: 'Bees dance to talk.', v_channel: 'Blog' });
  expect((await fetch(link, { method: 'POST', body })).status).toBe(200);
  const [post] = await waitUntil(
    () => Promise.resolve(upstream.received),
    (received) => received.length === 1,
  );
  expect(post!.body).toEqual({
    title: 'Bees',
    text: 'Bees dance to talk.',
    channel: 'Blog',
    author,
    reviewer: 'editor@example.com',
  });
});

test('a reviewer asks the author for changes', async () => {
  const link = await submitProposal('Wasps', 2);
  const body = new URLSearchParams({ choice: 'revise', comment: 'Please name your sources.' });
  expect((await fetch(link, { method: 'POST', body })).status).toBe(200);
  const letter = await mailTo(author, 1);
  expect(letter).toContain('Changes wanted: Wasps');
  expect(letter).toContain('Please name your sources.');
  expect(upstream.received).toHaveLength(1);
});
