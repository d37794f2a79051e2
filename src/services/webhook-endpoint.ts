/** Segments of an endpoint, and characters of it. */
const MAX_SEGMENTS = 32;
const MAX_LENGTH = 500;
const segmentPattern = /^(:[A-Za-z_][A-Za-z0-9_]{0,63}|[A-Za-z0-9._~!$&'()*+,;=@-]+)$/;

/** Reads a webhook's `endpoint`: `orders/:id`, a slash at either end does not count. */
export function readEndpoint(endpoint: string): { segments: string[]; fault: string | null } {
  const segments = endpoint.split('/').filter((segment) => segment !== '');
  return { segments, fault: faultOf(endpoint, segments) };
}

function faultOf(endpoint: string, segments: readonly string[]): string | null {
  if (segments.length === 0) return 'must name a path such as "orders/:id"';
  if (endpoint.length > MAX_LENGTH) return `must have at most ${MAX_LENGTH} characters`;
  if (segments.length > MAX_SEGMENTS) return `must have at most ${MAX_SEGMENTS} segments`;
  const wrong = segments.find(
    (segment) => !segmentPattern.test(segment) || segment === '.' || segment === '..',
  );
  if (wrong !== undefined) {
    return `has a segment that no address can hold: ${JSON.stringify(wrong)}; use letters, digits, - . _ ~ or :parameter`;
  }
  // `webhooks/{workflow_id}/…` works beside every endpoint, so none may look like it.
  if (segments[0]!.startsWith('wf_')) return 'must not begin with "wf_"';
  const names = segments.filter((segment) => segment.startsWith(':'));
  return new Set(names).size < names.length ? 'names a parameter twice' : null;
}

/** What two endpoints that answer the same addresses share: every parameter is `:`. */
export function endpointShape(segments: readonly string[]): string {
  return segments.map((segment) => (segment.startsWith(':') ? ':' : segment)).join('/');
}
