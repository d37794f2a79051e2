import type { IncomingMessage } from 'node:http';
import { notFound, validationError, WeftError } from '../../contract/errors.ts';
import { isLoopbackHost } from '../../lib/network/loopback-host.ts';
import { createProxyCheck } from '../websocket/client-address.ts';

/** Below these, callers of workflows are answered; everything else belongs to users of the API and the editor. */
const WORKFLOW_PATHS = ['/v1/webhooks/', '/v1/listen/', '/v1/resume/'];

export type HostCheck = {
  /** The error for a request on the wrong host, or null. `route`: the pattern that matched; undefined: none did. */
  refusal(request: IncomingMessage, route: string | undefined): WeftError | null;
};

/**
 * Which hosts requests may name. Host names alone are compared, because proxies often leave out the port. `X-Forwarded-Host` counts
 * only when a trusted proxy sends it. With `webhookUrl` webhooks have a host of their own, and everything else is kept away from it.
 * With `isLoopbackOnly` a request must name a loopback host, so that a page of another site cannot reach the service under a
 * name of its own (DNS rebinding). Null: every host is served.
 */
export function createHostCheck(settings: {
  webhookUrl: string | null;
  isLoopbackOnly: boolean;
  trustProxy: readonly string[];
}): HostCheck | null {
  const { webhookUrl, isLoopbackOnly } = settings;
  if (webhookUrl === null && !isLoopbackOnly) return null;
  const webhookHost = webhookUrl === null ? null : new URL(webhookUrl).hostname;
  const isTrusted = createProxyCheck(settings.trustProxy);

  /** Null where the request names none. */
  function hostnameOf(request: IncomingMessage): string | null {
    const forwarded = request.headers['x-forwarded-host'];
    const isForwarded = typeof forwarded === 'string' && isTrusted(request.socket.remoteAddress ?? '');
    const host = isForwarded ? forwarded.slice(forwarded.lastIndexOf(',') + 1).trim() : request.headers.host;
    const url = `http://${host ?? ''}`;
    // A dot at the end names the same host.
    return URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, '') : null;
  }

  return {
    refusal(request, route) {
      const host = hostnameOf(request);
      if (webhookHost !== null) {
        const isWorkflowPath = route !== undefined && WORKFLOW_PATHS.some((path) => route.startsWith(path));
        if (isWorkflowPath && host !== webhookHost)
          return new WeftError('NOT_FOUND', `This path is served at ${webhookUrl} only.`);
        if (!isWorkflowPath && host === webhookHost) return notFound('path');
        if (isWorkflowPath) return null;
      }
      if (!isLoopbackOnly || host === null || isLoopbackHost(host)) return null;
      const issue = 'must be localhost or a loopback address, unless WEFT_PUBLIC_URL is set';
      return validationError([{ field: 'host', issue }]);
    },
  };
}
