type Scalar = string | number | boolean;
export type Query = Record<string, Scalar | Scalar[] | null>;

/** Adds the query to the URL. Returns null if it is not an http or https URL. */
export function buildUrl(text: string, query: Query | undefined): string | null {
  // The egress client validates every URL, so a URL without a query needs no parsing here.
  if (query === undefined) return text;
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null;
  for (const [name, value] of Object.entries(query)) {
    if (value === null) continue;
    for (const one of Array.isArray(value) ? value : [value]) url.searchParams.append(name, String(one));
  }
  return url.href;
}

/** A URL for messages, without its query, which may contain a key. */
export function withoutQuery(text: string): string {
  if (!URL.canParse(text)) return 'the URL';
  const url = new URL(text);
  return `${url.origin}${url.pathname}`;
}
