import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startModelServer, type ModelServer, type Script } from '../support/ai/model-server.ts';
import { submitForm } from '../support/forms/submit-form.ts';
import { createPdfPages } from '../support/files/pdf.ts';
import { needPostgres, startServer, type TestServer } from '../support/servers/postgres-server.ts';
import { waitUntil } from '../support/service.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { useService } from '../support/use-service.ts';
import { install } from './template.ts';

const service = useService();
const MODEL_KEY = { MODEL_KEY: 'key-of-the-model-17' };
let script: Script;
let models: ModelServer;
beforeAll(async () => {
  models = await startModelServer((request, turn) => script(request, turn));
});
afterAll(() => models.close());

describe('research-agent', () => {
  let wiki: Upstream;
  beforeAll(async () => {
    wiki = await startUpstream(({ path }) =>
      path.startsWith('/search/page')
        ? {
            body: {
              pages: [
                {
                  id: 7,
                  key: 'Earl_Grey_tea',
                  title: 'Earl Grey tea',
                  excerpt: 'A <b>tea</b>',
                  thumbnail: {},
                },
              ],
            },
          }
        : {
            headers: { 'content-type': 'text/html' },
            text: '<main><h1>Earl Grey</h1><p>It has <b>bergamot</b>.</p></main>',
          },
    );
    await install(
      service.api,
      'research-agent',
      { wiki_url: wiki.url, page_url: 'https://wiki.example.com', model_url: models.url, max_turns: 4 },
      MODEL_KEY,
    );
  });
  afterAll(() => wiki.close());

  const ask = async (): Promise<string | null> => {
    const key = await service.api('POST', '/api-keys', { body: { name: 'chat' } });
    const client = new OpenAI({
      baseURL: `${service.weft.url}`,
      apiKey: (key.body as { key: string }).key,
      maxRetries: 0,
    });
    const { choices } = await client.chat.completions.create({
      model: 'research',
      messages: [{ role: 'user', content: 'What is in Earl Grey?' }],
    });
    return choices[0]!.message.content;
  };

  test('a question is researched, and the response has its sources', async () => {
    const answer = { answer: 'Bergamot.', sources: [{ key: 'Earl_Grey_tea', title: 'Earl Grey tea' }] };
    script = (_request, turn) =>
      [
        { calls: [{ name: 'search', arguments: { query: 'earl grey' } }] },
        { calls: [{ name: 'read_page', arguments: { key: 'Earl_Grey_tea' } }] },
        { text: JSON.stringify(answer) },
      ][turn]!;
    expect(await ask()).toBe(
      'Bergamot.\n\nSources:\n- Earl Grey tea: https://wiki.example.com/Earl_Grey_tea',
    );
    expect(wiki.received.map(({ path }) => path)).toEqual([
      '/search/page?q=earl+grey&limit=5',
      '/page/Earl_Grey_tea/html',
    ]);
    const results = models.chats.at(-1)!.messages.filter(({ role }) => role === 'tool');
    expect(results.map(({ content }) => JSON.parse(content!) as unknown)).toEqual([
      { pages: [{ key: 'Earl_Grey_tea', title: 'Earl Grey tea', excerpt: 'A <b>tea</b>' }] },
      { text: '# Earl Grey\n\nIt has **bergamot**.' },
    ]);
  });

  test('a model that never ends gets no further turn than the limit', async () => {
    script = () => ({ calls: [{ name: 'search', arguments: { query: 'more' } }] });
    const before = models.chats.length;
    expect(await ask()).toBe('I found no response within 4 steps.');
    expect(models.chats.length - before).toBe(4);
  });
});

describe('support-agent', () => {
  let shop: Upstream;
  beforeAll(async () => {
    shop = await startUpstream(({ path }) =>
      path.startsWith('/orders/') ? { body: { number: path.slice(8), paid: 120, state: 'delivered' } } : {},
    );
    await install(
      service.api,
      'support-agent',
      {
        orders_url: `${shop.url}/orders`,
        refunds_url: `${shop.url}/refunds`,
        replies_url: `${shop.url}/replies`,
        model_url: models.url,
      },
      { ...MODEL_KEY, SHOP_TOKEN: 'token-of-the-shop', SUPPORT_KEY: 'key-of-callers-17' },
    );
  });
  afterAll(() => shop.close());

  const send = async (): Promise<void> => {
    shop.received.length = 0;
    const sent = await service.weft.call('POST', '/webhooks/support-agent', {
      body: { email: 'ada@example.com', subject: 'Broken', text: 'Order A-17 arrived broken.' },
      headers: { 'x-api-key': 'key-of-callers-17' },
    });
    expect(sent.status, sent.text).toBeLessThan(300);
  };
  const received = (count: number) =>
    waitUntil(
      () => Promise.resolve(shop.received),
      (all) => all.length >= count,
    );
  const refund =
    (amount: number): Script =>
    (_request, turn) =>
      [
        { calls: [{ name: 'find_order', arguments: { number: 'A-17' } }] },
        { calls: [{ name: 'refund', arguments: { number: 'A-17', amount, reason: 'It arrived broken.' } }] },
        { text: 'We refunded you.' },
      ][turn]!;

  test('a small refund happens at once', async () => {
    script = refund(20);
    await send();
    const [order, paid, reply] = await received(3);
    expect(order).toMatchObject({ method: 'GET', path: '/orders/A-17' });
    expect(paid).toMatchObject({ path: '/refunds', body: { number: 'A-17', amount: 20 } });
    expect(reply).toMatchObject({
      path: '/replies',
      body: {
        email: 'ada@example.com',
        subject: 'Re: Broken',
        text: 'We refunded you.',
        needs_person: false,
      },
    });
    expect(order?.headers.authorization).toBe('Bearer token-of-the-shop');
  });

  test('a large refund waits for a person, who can change the amount', async () => {
    script = refund(120);
    await send();
    const [decision] = await waitUntil(
      async () =>
        (
          (await service.api('GET', '/decisions?status=open')).body as {
            decisions: { id: string; title: string; message: string }[];
          }
        ).decisions,
      (found) => found.length === 1,
    );
    expect(decision?.title).toBe('Refund 120 for order A-17?');
    expect(decision?.message).toContain('Order A-17 arrived broken.');
    expect(shop.received).toHaveLength(1);
    const decided = await service.api('POST', `/decisions/${decision!.id}/respond`, {
      body: { choice: 'approved', values: { amount: 60 } },
    });
    expect(decided.status, decided.text).toBe(200);
    const [, paid, reply] = await received(3);
    expect(paid?.body).toMatchObject({ amount: 60 });
    expect(reply?.path).toBe('/replies');
  });

  test('a person takes over when the agent does not come to an end', async () => {
    script = () => ({ calls: [{ name: 'find_order', arguments: { number: 'A-17' } }] });
    await send();
    const all = await received(12);
    expect(all.at(-1)).toMatchObject({ path: '/replies', body: { needs_person: true } });
  });
});

describe.skipIf(needPostgres() === null)('invoice-extraction', () => {
  let database: TestServer;
  let url: string;
  beforeAll(async () => {
    database = await startServer(needPostgres()!);
    url = await database.database();
    await database.sql(
      url,
      'CREATE TABLE invoices (number text PRIMARY KEY, supplier text, total numeric, currency text, due_date date)',
    );
    await install(
      service.api,
      'invoice-extraction',
      { model_url: models.url },
      { ...MODEL_KEY, DATABASE: url },
    );
  });
  afterAll(() => database.close());

  test('reads a PDF file into a row', async () => {
    const fields = {
      number: 'R-4',
      supplier: 'Bolts Ltd',
      total: 99.5,
      currency: 'EUR',
      due_date: '2026-12-24',
    };
    // The first response lacks a field, which the model corrects.
    script = (_request, turn) => ({
      text: JSON.stringify(turn === 0 ? { ...fields, currency: undefined } : fields),
    });
    const pdf = createPdfPages(['Invoice R-4', 'Bolts Ltd', 'Total 99.50 EUR']);
    const sent = await submitForm(`${service.weft.url}/forms/invoices`, {
      invoice: new File([pdf], 'invoice.pdf', { type: 'application/pdf' }),
    });
    expect(sent.html).toContain('The invoice will be recorded.');
    const rows = await waitUntil(
      () =>
        database.sql(
          url,
          "SELECT number, supplier, total::float, currency, to_char(due_date, 'YYYY-MM-DD') AS due_date FROM invoices",
        ),
      (found) => found.length === 1,
    );
    expect(rows).toEqual([fields]);
    expect(JSON.stringify(models.chats.at(-1)?.messages)).toContain('Total 99.50 EUR');
  });
});
