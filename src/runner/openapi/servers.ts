import type { PackServer } from '../../contract/packs/packs.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { truncateText } from '../../lib/text/truncate.ts';

const MAX_SERVERS = 50;
const MAX_DESCRIPTION_LENGTH = 200;

/**
 * The absolute http and https URLs of a list of servers, with the defaults of their variables. A relative URL
 * refers to the URL of the document. Others are left out.
 */
export function readServers(list: Json | undefined, documentUrl: string | null): PackServer[] {
  if (!Array.isArray(list)) return [];
  const found = new Map<string, PackServer>();
  for (const server of list.slice(0, MAX_SERVERS)) {
    if (!isObject(server)) continue;
    const url = readUrl(server, documentUrl);
    const { description } = server;
    if (url !== null && !found.has(url))
      found.set(url, {
        url,
        description: typeof description === 'string' ? truncateText(description, MAX_DESCRIPTION_LENGTH) : '',
      });
  }
  return [...found.values()];
}

function readUrl({ url, variables }: JsonObject, documentUrl: string | null): string | null {
  if (typeof url !== 'string') return null;
  const filled = url.trim().replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
    const variable = isObject(variables) && Object.hasOwn(variables, name) ? variables[name] : undefined;
    const value = isObject(variable) ? variable['default'] : undefined;
    return typeof value === 'string' || typeof value === 'number' ? String(value) : whole;
  });
  // A variable without a default.
  if (/[{}]/.test(filled)) return null;
  const parsed = documentUrl === null ? URL.parse(filled) : URL.parse(filled, documentUrl);
  if (parsed === null || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) return null;
  if (parsed.username !== '' || parsed.password !== '') return null;
  return `${parsed.origin}${parsed.pathname}`.replace(/\/+$/, '');
}
