/** The pseudo-method of form routes, which are separate from webhook routes. */
export const FORM_METHOD = 'FORM';

/** The method of the routes of tools. Their endpoint is the id of the owner and the name of the tool. */
export const TOOL_METHOD = 'TOOL';

/** The method of the routes of chats. Their endpoint is the id of the owner and the name of the model. */
export const CHAT_METHOD = 'CHAT';

/**
 * The methods of triggers that clients call by a name, which is unique among the active workflows of a user.
 */
const namedMethods: Readonly<Record<string, string>> = { tool: TOOL_METHOD, chat: CHAT_METHOD };

/** The method of a trigger that clients call by its name; null for other kinds. */
export function getNamedMethod(triggerType: string): string | null {
  return namedMethods[triggerType] ?? null;
}

/** Whether the route is that of a webhook. */
export function isHttpMethod(method: string): boolean {
  return method !== FORM_METHOD && method !== TOOL_METHOD && method !== CHAT_METHOD;
}

/**
 * Returns the segments of a webhook's `endpoint`, such as `orders/:id`, without leading and trailing slashes.
 */
export function splitEndpoint(endpoint: string): string[] {
  return endpoint.split('/').filter((segment) => segment !== '');
}

/** Returns a key that is equal for endpoints that match the same paths: every parameter is `:`. */
export function getEndpointShape(segments: readonly string[]): string {
  return segments.map((segment) => (segment.startsWith(':') ? ':' : segment)).join('/');
}

/** Whether the endpoint begins with a parameter: it is then served only below the id of its workflow. */
export function beginsWithParameter(segments: readonly string[]): boolean {
  return segments[0]?.startsWith(':') === true;
}

/** The issue of an invalid endpoint; null if it is valid. `webhooks/{workflow_id}/…` always exists. */
export function checkEndpoint([first = '']: readonly string[]): string | null {
  if (first.startsWith('wf_')) return 'must not begin with "wf_", which begins the ids of workflows';
  return first.startsWith('usr_') ? 'must not begin with "usr_", which begins the ids of users' : null;
}
