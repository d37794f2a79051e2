type Scalar = string | number | boolean;
export type Query = Record<string, Scalar | Scalar[] | null>;

/** The URL with the query added to the one it may have; null when it is no http or https URL. */
export function requestUrl(text: string, query: Query | undefined): string | null {
  // The gate checks every URL; without a query there is nothing to do here.
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

/** A URL as it may be shown: without its query, which may hold a key. */
export function shownUrl(text: string): string {
  if (!URL.canParse(text)) return 'the URL';
  const url = new URL(text);
  return `${url.origin}${url.pathname}`;
}
