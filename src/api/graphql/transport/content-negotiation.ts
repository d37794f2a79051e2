/** What an answer may be. */
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
 * What the caller would like best of what there is; of several alike the first. Who asks for nothing that there is gets JSON
 * all the same: that says more than a refusal.
 */
export function preferred(accept: string | undefined): Media {
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
