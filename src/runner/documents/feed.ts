import { parseFeed } from 'feedsmith';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { DocumentError } from './document-messages.ts';

type Parsed = ReturnType<typeof parseFeed<string>>;
type RssFeed = Extract<Parsed, { format: 'rss' }>['feed'];
type RdfFeed = Extract<Parsed, { format: 'rdf' }>['feed'];
type AtomFeed = Extract<Parsed, { format: 'atom' }>['feed'];
type JsonFeed = Extract<Parsed, { format: 'json' }>['feed'];

type Item = {
  id: string | null;
  title: string | null;
  link: string | null;
  published: string | null;
  updated: string | null;
  summary: string | null;
  content: string | null;
  author: string | null;
  categories: string[];
  enclosures: { url: string; type: string | null; size: number | null }[];
};

const ENCODING = /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/;
/** Bytes that contain the XML declaration. */
const DECLARATION_BYTES = 200;

/** Reads RSS, Atom, RDF or JSON Feed in one form. `charset`: of the response. @throws {DocumentError} */
export function readFeed(document: Buffer, charset: string | null): JsonObject {
  const text = decode(document, charset);
  let parsed: Parsed;
  try {
    parsed = parseFeed(text);
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new DocumentError('is no RSS, Atom or JSON feed');
  }
  switch (parsed.format) {
    case 'atom':
      return fromAtom(parsed.feed);
    case 'json':
      return fromJson(parsed.feed);
    default:
      return fromRss(parsed.feed);
  }
}

function decode(document: Buffer, charset: string | null): string {
  const declared = ENCODING.exec(document.toString('latin1', 0, DECLARATION_BYTES))?.[1];
  const label = readByteOrderMark(document) ?? charset ?? declared ?? 'utf-8';
  try {
    return new TextDecoder(label).decode(document);
  } catch {
    throw new DocumentError(`has the unknown encoding ${label.slice(0, 40)}`);
  }
}

function readByteOrderMark([first, second, third]: Buffer): string | null {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : null;
}

function fromRss(feed: RssFeed | RdfFeed): JsonObject {
  const items = (feed.items ?? []).map((item): Item => {
    const { guid, enclosures, categories, authors, pubDate } = item as NonNullable<RssFeed['items']>[number];
    const isLink = guid?.isPermaLink !== false && /^https?:\/\//.test(guid?.value ?? '');
    return {
      id: guid?.value ?? null,
      title: item.title ?? null,
      link: item.link ?? (isLink ? (guid?.value ?? null) : null),
      published: toDate(pubDate ?? item.dc?.dates?.[0]),
      updated: toDate(item.atom?.updated),
      summary: item.description ?? null,
      content: item.content?.encoded ?? null,
      author: formatPerson(authors?.[0]) ?? item.dc?.creators?.[0] ?? null,
      categories: [...(categories ?? []).map(({ name }) => name), ...(item.dc?.subjects ?? [])].filter(
        isText,
      ),
      enclosures: (enclosures ?? []).flatMap(({ url, type, length }) =>
        isText(url) ? [{ url, type: type ?? null, size: length ?? null }] : [],
      ),
    };
  });
  const { pubDate, lastBuildDate } = feed as RssFeed;
  return createFeed(
    feed.title,
    feed.link,
    feed.description,
    lastBuildDate ?? pubDate ?? feed.dc?.dates?.[0],
    items,
  );
}

function fromAtom(feed: AtomFeed): JsonObject {
  const items = (feed.entries ?? []).map((entry): Item => {
    const links = entry.links ?? [];
    return {
      id: entry.id ?? null,
      title: entry.title?.value ?? null,
      link: findLink(links),
      published: toDate(entry.published),
      updated: toDate(entry.updated),
      summary: entry.summary?.value ?? null,
      content: entry.content?.value ?? null,
      author: formatPerson(entry.authors?.[0]),
      categories: (entry.categories ?? []).map(({ term }) => term).filter(isText),
      enclosures: links.flatMap(({ rel, href, type, length }) =>
        rel === 'enclosure' && isText(href) ? [{ url: href, type: type ?? null, size: length ?? null }] : [],
      ),
    };
  });
  return createFeed(feed.title?.value, findLink(feed.links ?? []), feed.subtitle?.value, feed.updated, items);
}

function fromJson(feed: JsonFeed): JsonObject {
  const items = (feed.items ?? []).map((item): Item => ({
    id: item.id ?? null,
    title: item.title ?? null,
    link: item.url ?? null,
    published: toDate(item.date_published),
    updated: toDate(item.date_modified),
    summary: item.summary ?? null,
    content: item.content_html ?? item.content_text ?? null,
    author: formatPerson(item.authors?.[0]),
    categories: (item.tags ?? []).filter(isText),
    enclosures: (item.attachments ?? []).flatMap(({ url, mime_type: type, size_in_bytes: size }) =>
      isText(url) ? [{ url, type: type ?? null, size: size ?? null }] : [],
    ),
  }));
  return createFeed(feed.title, feed.home_page_url, feed.description, undefined, items);
}

/** An entry without any identification cannot be distinguished from others, and is left out. */
function createFeed(
  title: string | undefined,
  link: string | null | undefined,
  description: string | undefined,
  updated: string | undefined,
  items: readonly Item[],
): JsonObject {
  const known = items.flatMap((item): Json[] => {
    const id = item.id ?? item.link ?? `${item.title ?? ''} ${item.published ?? ''}`.trim();
    return id === '' ? [] : [{ ...item, id }];
  });
  return {
    title: title ?? null,
    link: link ?? null,
    description: description ?? null,
    updated: toDate(updated),
    items: known,
  };
}

function findLink(links: readonly { href?: string; rel?: string }[]): string | null {
  return links.find(({ rel }) => rel === undefined || rel === 'alternate')?.href ?? null;
}

function formatPerson(person: string | { name?: string; email?: string } | undefined): string | null {
  if (person === undefined || typeof person === 'string') return person ?? null;
  return person.name ?? person.email ?? null;
}

function isText(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}

/** Null for a date that cannot be read. */
function toDate(text: string | undefined): string | null {
  const time = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}
