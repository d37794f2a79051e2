import type { IncomingMessage } from 'node:http';
import { createNotFoundError, createValidationError, WeftError } from '../../contract/errors.ts';
import { isLoopbackHost } from '../../lib/network/loopback-host.ts';
import { createProxyCheck } from '../websocket/client-address.ts';

/** Paths that callers of workflows use. All other paths belong to users of the API and the editor. */
const WORKFLOW_PATHS = ['/v1/webhooks/', '/v1/pack-webhooks/', '/v1/forms/', '/v1/listen/', '/v1/resume/'];

export type HostCheck = {
  /**
   * The error for a request with the wrong host, or null. `route` is the matched pattern; undefined without a
   * match.
   */
  refusal(request: IncomingMessage, route: string | undefined): WeftError | null;
};

/**
 * Checks the host of requests; null when every host is accepted. Ports are ignored, because proxies often
 * omit them. `X-Forwarded-Host` counts only from a trusted proxy. With `webhookUrl`, webhooks have their own
 * host and no other path is served there. With `isLoopbackOnly`, requests must name a loopback host, which
 * prevents DNS rebinding.
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

  /** Null when the request has no valid host. */
  function readHostname(request: IncomingMessage): string | null {
    const forwarded = request.headers['x-forwarded-host'];
    const isForwarded = typeof forwarded === 'string' && isTrusted(request.socket.remoteAddress ?? '');
    const host = isForwarded ? forwarded.slice(forwarded.lastIndexOf(',') + 1).trim() : request.headers.host;
    const url = `http://${host ?? ''}`;
    // A trailing dot does not change the host.
    return URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, '') : null;
  }

  return {
    refusal(request, route) {
      const host = readHostname(request);
      if (webhookHost !== null) {
        const isWorkflowPath = route !== undefined && WORKFLOW_PATHS.some((path) => route.startsWith(path));
        if (isWorkflowPath && host !== webhookHost)
          return new WeftError('NOT_FOUND', `This path is available only at ${webhookUrl}.`);
        if (!isWorkflowPath && host === webhookHost) return createNotFoundError('path');
        if (isWorkflowPath) return null;
      }
      if (!isLoopbackOnly || host === null || isLoopbackHost(host)) return null;
      const issue = 'must be localhost or a loopback address, unless WEFT_PUBLIC_URL is set';
      return createValidationError([{ field: 'host', issue }]);
    },
  };
}
