/** The segments of a webhook's `endpoint`: `orders/:id`. A slash at either end does not count. */
export function endpointSegments(endpoint: string): string[] {
  return endpoint.split('/').filter((segment) => segment !== '');
}

/** What two endpoints that answer the same addresses share: every parameter is `:`. */
export function endpointShape(segments: readonly string[]): string {
  return segments.map((segment) => (segment.startsWith(':') ? ':' : segment)).join('/');
}

/** Without a fixed segment at its front, an endpoint is served below the id of its workflow only. */
export function beginsWithParameter(segments: readonly string[]): boolean {
  return segments[0]?.startsWith(':') === true;
}

/** Why no trigger may have this endpoint: `webhooks/{workflow_id}/…` works beside every one. */
export function checkEndpoint(segments: readonly string[]): string | null {
  return segments[0]?.startsWith('wf_') === true
    ? 'must not begin with "wf_", which begins the ids of workflows'
    : null;
}
