import type { IncomingMessage } from 'node:http';
import { notFound, WeftError } from '../../contract/errors.ts';
import { createProxyCheck } from '../ws/client-address.ts';

/** Below these, callers of workflows are answered; everything else belongs to users of the API and the editor. */
const WORKFLOW_PATHS = ['/v1/webhooks/', '/v1/listen/', '/v1/resume/'];

export type HostCheck = {
  /** The error for a request on the wrong host, or null. `route`: the pattern that matched; undefined: none did. */
  refusal(request: IncomingMessage, route: string | undefined): WeftError | null;
};

/**
 * Keeps webhooks on a host of their own, and everything else away from it. Host names alone are compared, because proxies often
 * leave out the port. `X-Forwarded-Host` counts only when a trusted proxy sends it. Null without `webhookUrl`: one host for all.
 */
export function createHostCheck(webhookUrl: string | null, trustProxy: readonly string[]): HostCheck | null {
  if (webhookUrl === null) return null;
  const webhookHost = new URL(webhookUrl).hostname;
  const isTrusted = createProxyCheck(trustProxy);

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
      const isWorkflowPath = route !== undefined && WORKFLOW_PATHS.some((path) => route.startsWith(path));
      if (isWorkflowPath === (hostnameOf(request) === webhookHost)) return null;
      return isWorkflowPath
        ? new WeftError('NOT_FOUND', `This path is served at ${webhookUrl} only.`)
        : notFound('path');
    },
  };
}
