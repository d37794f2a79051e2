import type { Catalog } from './catalog.ts';
import type { Entry } from './document.ts';

/**
 * The title of a node: its name. Without a name, the name of its type and the number of a default id
 * (`http_request_2`: HTTP request 2), or another id in words (`fetch_price`: Fetch price).
 */
export function getNodeTitle({ id, type, name }: Entry, catalog: Catalog): string {
  if (name !== undefined && name.trim() !== '') return name;
  const typeName = catalog.get(type)?.name;
  if (typeName !== undefined && id === type) return typeName;
  const number = id.startsWith(`${type}_`) ? id.slice(type.length + 1) : '';
  return typeName !== undefined && /^\d+$/.test(number) ? `${typeName} ${number}` : inWords(id);
}

function inWords(id: string): string {
  const text = id
    .replaceAll(
      /([\p{Ll}\d])(\p{Lu})(?=\p{Ll})/gu,
      (_, before: string, letter: string) => `${before} ${letter.toLowerCase()}`,
    )
    .replaceAll(/[_\s-]+/g, ' ')
    .trim();
  return text === '' ? id : text.charAt(0).toUpperCase() + text.slice(1);
}

/** The title of a node by id; the id if the node does not exist. */
export function getTitleById(nodes: ReadonlyMap<string, Entry>, id: string, catalog: Catalog): string {
  const entry = nodes.get(id);
  return entry === undefined ? id : getNodeTitle(entry, catalog);
}
