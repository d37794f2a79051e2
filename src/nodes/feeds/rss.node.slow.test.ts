import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { useFileNodeFixture } from '../../../test/support/file-node-fixture.ts';
import { serve, type TestServer } from '../../../test/support/servers/http-server.ts';
import type { Json } from '../../lib/json/json.ts';
import { rss } from './rss.node.ts';

const files = useFileNodeFixture();
let server: TestServer;
let respond: { status: number; type: string; body: string | Buffer };
beforeEach(async () => {
  server = await serve((_request, response) => {
    response.writeHead(respond.status, { 'content-type': respond.type }).end(respond.body);
  });
});
afterEach(() => server.close());

const reply = (body: string | Buffer, type = 'application/xml', status = 200): void => {
  respond = { status, type, body };
};
const read = async (body: string | Buffer, type?: string): Promise<Json | undefined> => {
  reply(body, type);
  return files.output(rss, { url: server.url });
};

const RSS = `<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel><title>T</title><link>https://e.com/</link><description>D</description><lastBuildDate>Mon, 05 Jan 2026 10:00:00 GMT</lastBuildDate>
<item><title>A &amp; B</title><guid isPermaLink="false">g1</guid><link>https://e.com/a</link><pubDate>Mon, 05 Jan 2026 12:00:00 +0200</pubDate>
<description><![CDATA[<p>x</p>]]></description><content:encoded><![CDATA[<b>full</b>]]></content:encoded><dc:creator>Ada</dc:creator><category>c1</category>
<enclosure url="https://e.com/a.mp3" length="123" type="audio/mpeg"/></item>
<item><title>No id</title><guid>https://e.com/b</guid><pubDate>nonsense</pubDate></item><item/></channel></rss>`;
const ATOM = `<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><subtitle>D</subtitle><id>urn:1</id><updated>2026-01-05T10:00:00Z</updated>
<link href="https://e.com/feed" rel="self"/><link href="https://e.com/" rel="alternate"/>
<entry><id>urn:e1</id><title type="html">A</title><link href="https://e.com/1"/><link rel="enclosure" href="https://e.com/f" type="a/b" length="5"/>
<updated>2026-01-05T10:00:00Z</updated><author><name>Ada</name></author><category term="x"/><content type="html">&lt;b&gt;c&lt;/b&gt;</content></entry></feed>`;
const RDF = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel rdf:about="x"><title>T</title><link>https://e.com</link><description>D</description></channel>
<item rdf:about="https://e.com/1"><title>A</title><link>https://e.com/1</link><dc:date>2026-01-05T10:00:00Z</dc:date></item></rdf:RDF>`;
const JSON_FEED = JSON.stringify({
  version: 'https://jsonfeed.org/version/1.1',
  title: 'T',
  home_page_url: 'https://e.com',
  items: [{ id: '1', url: 'https://e.com/1', title: 'A', content_html: '<b>x</b>', tags: ['t'] }],
});

const nothing = {
  published: null,
  updated: null,
  summary: null,
  content: null,
  author: null,
  categories: [],
  enclosures: [],
};

describe('rss', () => {
  test('reads each format in one form', async () => {
    const date = '2026-01-05T10:00:00.000Z';
    expect(await read(RSS)).toEqual({
      title: 'T',
      link: 'https://e.com/',
      description: 'D',
      updated: date,
      items: [
        {
          id: 'g1',
          title: 'A & B',
          link: 'https://e.com/a',
          published: date,
          updated: null,
          summary: '<p>x</p>',
          content: '<b>full</b>',
          author: 'Ada',
          categories: ['c1'],
          enclosures: [{ url: 'https://e.com/a.mp3', type: 'audio/mpeg', size: 123 }],
        },
        { ...nothing, id: 'https://e.com/b', title: 'No id', link: 'https://e.com/b' },
      ],
    });
    expect(await read(ATOM)).toEqual({
      title: 'T',
      link: 'https://e.com/',
      description: 'D',
      updated: date,
      items: [
        {
          ...nothing,
          id: 'urn:e1',
          title: 'A',
          link: 'https://e.com/1',
          updated: date,
          content: '<b>c</b>',
          author: 'Ada',
          categories: ['x'],
          enclosures: [{ url: 'https://e.com/f', type: 'a/b', size: 5 }],
        },
      ],
    });
    expect(await read(RDF)).toMatchObject({
      title: 'T',
      items: [{ id: 'https://e.com/1', title: 'A', published: date }],
    });
    expect(await read(JSON_FEED, 'application/feed+json')).toMatchObject({
      link: 'https://e.com',
      items: [{ id: '1', content: '<b>x</b>', categories: ['t'] }],
    });
    expect(server.received[0]!.headers.accept).toMatch(/^application\/atom\+xml/);
  });

  test('decodes the encoding of the response or the declaration', async () => {
    const bytes = (head: string) =>
      Buffer.from(`${head}${RSS.slice(21).replace('A &amp; B', '\xe4')}`, 'latin1');
    expect(await read(bytes('<?xml version="1.0" encoding="ISO-8859-1"?>'))).toMatchObject({
      items: [{ title: 'ä' }, {}],
    });
    expect(await read(bytes('<?xml version="1.0"?>'), 'text/xml; charset=iso-8859-15')).toMatchObject({
      items: [{ title: 'ä' }, {}],
    });
  });

  test.each<[string, string, number, string, RegExp]>([
    [
      'an empty response',
      '',
      200,
      'validation',
      /^url: must return a feed, and the response of \S+ is no RSS/,
    ],
    ['a page', '<!doctype html><p>x', 200, 'validation', /is no RSS, Atom or JSON feed$/],
    ['half of a feed', RSS.slice(0, 60), 200, 'validation', /is no RSS, Atom or JSON feed$/],
    ['an error', 'x', 404, 'client_error', / responded with 404$/],
    ['a failure', 'x', 503, 'server_error', / responded with 503$/],
  ])('refuses %s', async (_name, body, status, type, message) => {
    reply(body, 'application/xml', status);
    expect(await files.failure(rss, { url: server.url })).toMatchObject({
      type,
      message: expect.stringMatching(message) as string,
    });
  });

  test('expands no entities, and bounds nesting', async () => {
    const entities = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "${'a'.repeat(1000)}"><!ENTITY b "${'&a;'.repeat(1000)}">]>`;
    const found = await read(`${entities}${RSS.slice(21).replace('A &amp; B', '&b;'.repeat(1000))}`).catch(
      String,
    );
    expect(JSON.stringify(found).length).toBeLessThan(100_000);
    reply(`<rss version="2.0"><channel>${'<a>'.repeat(20_000)}`);
    const outcome = await files.run(rss, { url: server.url });
    expect(outcome.kind === 'failed' ? outcome.error.type : 'done').toMatch(/^(limit|validation|done)$/);
  });
});
