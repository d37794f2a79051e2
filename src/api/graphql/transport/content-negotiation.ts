/** The media types of responses. */
export type Media =
  | 'application/graphql-response+json'
  | 'application/json'
  | 'text/event-stream'
  | 'text/html';

const known: Readonly<Record<string, Media>> = {
  'application/graphql-response+json': 'application/graphql-response+json',
  'application/json': 'application/json',
  'application/*': 'application/json',
  '*/*': 'application/json',
  'text/event-stream': 'text/event-stream',
  'text/html': 'text/html',
};

/**
 * The supported media type that the caller prefers; the first one of equals. Without a supported type, JSON
 * is used.
 */
export function selectMediaType(accept: string | undefined): Media {
  let best: { media: Media; weight: number } | null = null;
  for (const range of (accept ?? '*/*').split(',', 20)) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const media = known[type];
    if (media === undefined) continue;
    const quality = parameters.find((each) => each.startsWith('q='));
    const weight = quality === undefined ? 1 : Number(quality.slice(2));
    if (weight > 0 && (best === null || weight > best.weight)) best = { media, weight };
  }
  return best?.media ?? 'application/json';
}
