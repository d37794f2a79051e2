import { load, loadBuffer, type Cheerio, type CheerioAPI } from 'cheerio';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { DocumentError } from './document-messages.ts';

type Elements = Cheerio<never>;
type Field = {
  selector?: string;
  get?: 'text' | 'html' | 'attribute' | 'number';
  attribute?: string;
  decimal?: '.' | ',';
  list?: boolean;
  required?: boolean;
};

/** Attributes that contain a URL. */
const URL_ATTRIBUTES = new Set(['href', 'src', 'action', 'poster', 'data', 'cite']);
/** Elements whose text a browser does not show. */
const INVISIBLE = 'script, style, noscript, template';

/**
 * Extracts the values of `fields`: an object, or a list of objects if `items` is a selector.
 * @throws {DocumentError}
 */
export function extract(task: JsonObject, document: Buffer): Json {
  const page = parse(task, document);
  const fields = Object.entries(isObject(task['fields']) ? task['fields'] : {}) as [string, Field][];
  const extractFields = (element: Elements): JsonObject =>
    Object.fromEntries(
      fields.map(([name, field]) => [name, valueOf(page, element, field, `fields.${name}`)]),
    );
  const { items } = task;
  if (typeof items !== 'string') return extractFields(page.root() as unknown as Elements);
  const found = select(page.root() as unknown as Elements, items, 'items');
  return found.toArray().map((element) => extractFields(page(element) as unknown as Elements));
}

/** Returns the HTML of the first match of `selector`, or of the whole page. @throws {DocumentError} */
export function selectPart(task: JsonObject, document: Buffer): string {
  const page = parse(task, document);
  page(INVISIBLE).remove();
  const { selector } = task;
  if (typeof selector !== 'string') return page('body').html() ?? '';
  const found = select(page.root() as unknown as Elements, selector, 'selector').first();
  if (found.length === 0)
    throw new DocumentError('must match an element of the page', 'validation', 'selector');
  return found.html() ?? '';
}

/** A file is decoded as its byte order mark or its `meta` element says. Links are completed. */
function parse({ isFile, baseUrl }: JsonObject, document: Buffer): CheerioAPI {
  const page = isFile === true ? loadBuffer(document) : load(document.toString('utf8'));
  if (typeof baseUrl !== 'string') return page;
  if (!URL.canParse(baseUrl)) throw new DocumentError('must be a URL', 'validation', 'baseUrl');
  for (const attribute of URL_ATTRIBUTES)
    page(`[${attribute}]`).each((_i, element) => {
      const link = page(element).attr(attribute);
      const url = link === undefined ? null : URL.parse(link.trim(), baseUrl);
      if (url !== null) page(element).attr(attribute, url.href);
    });
  return page;
}

function select(root: Elements, selector: string, field: string): Elements {
  try {
    return root.find(selector) as unknown as Elements;
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new DocumentError(`must be a CSS selector: ${(error as Error).message}`, 'validation', field);
  }
}

function valueOf(page: CheerioAPI, element: Elements, field: Field, at: string): Json {
  const found = field.selector === undefined ? element : select(element, field.selector, `${at}.selector`);
  const values = found
    .toArray()
    .slice(0, field.list === true ? undefined : 1)
    .map((one) => read(page(one) as unknown as Elements, field));
  if (field.required === true && (values.length === 0 || values[0] === null))
    throw new DocumentError('must match an element with this value', 'validation', `${at}.selector`);
  return field.list === true ? values : (values[0] ?? null);
}

function read(element: Elements, { get = 'text', attribute = '', decimal = '.' }: Field): Json {
  switch (get) {
    case 'html':
      return element.html();
    case 'attribute':
      return element.attr(attribute) ?? null;
    case 'number':
      return toNumber(readText(element), decimal);
    default:
      return readText(element);
  }
}

function readText(element: Elements): string {
  const visible = element.clone();
  visible.find(INVISIBLE).remove();
  const text = visible.text();
  return element.is('pre') ? text : text.replaceAll(/\s+/g, ' ').trim();
}

/** The first number of a text. Spaces, apostrophes and the other separator may group its digits. */
function toNumber(text: string, decimal: '.' | ','): number | null {
  const group = decimal === '.' ? ',' : '.';
  const [found] = new RegExp(`[-−]?\\d(?:[\\d${group}'’\\s]*\\d)?(?:\\${decimal}\\d+)?`).exec(text) ?? [];
  if (found === undefined) return null;
  const plain = found
    .replaceAll(group, '')
    .replaceAll(/['’\s]/g, '')
    .replace('−', '-')
    .replace(decimal, '.');
  const number = Number(plain);
  return Number.isFinite(number) ? number : null;
}
