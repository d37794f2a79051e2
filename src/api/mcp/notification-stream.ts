/*
 * The stream of notifications that clients of versions before 2026-07-28 open with GET. There are no
 * sessions, so it has only what concerns the user.
 */

/** Interval of the comments that keep proxies from closing an idle stream. */
const KEEP_ALIVE_INTERVAL_MS = 15_000;
/** The versions with such streams. */
const VERSIONS = new Set([null, '2025-03-26', '2025-06-18', '2025-11-25']);
const TOOLS_CHANGED =
  'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n';

export const acceptsNotifications = ({ headers }: Request): boolean =>
  VERSIONS.has(headers.get('mcp-protocol-version')) &&
  headers.get('accept')?.includes('text/event-stream') === true;

/** Sends a notification for each change until the client leaves or the service stops. */
export function createNotificationStream(
  left: AbortSignal,
  stopping: AbortSignal,
  watch: (changed: () => void) => () => void,
): Response {
  const end = AbortSignal.any([left, stopping]);
  const encoder = new TextEncoder();
  /** A client that does not read gets one notification for several changes. */
  let isPending = false;
  let close = (): void => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const send = (text: string): void => controller.enqueue(encoder.encode(text));
      const canSend = (): boolean => (controller.desiredSize ?? 0) > 0;
      send(': open\n\n');
      const unwatch = watch(() => {
        if (canSend()) send(TOOLS_CHANGED);
        else isPending = true;
      });
      const timer = setInterval(() => {
        if (canSend()) send(': keep-alive\n\n');
      }, KEEP_ALIVE_INTERVAL_MS);
      let isClosed = false;
      close = () => {
        if (isClosed) return;
        isClosed = true;
        unwatch();
        clearInterval(timer);
        end.removeEventListener('abort', close);
        try {
          controller.close();
        } catch {
          // The client has left, so the stream is cancelled.
        }
      };
      if (end.aborted) close();
      else end.addEventListener('abort', close, { once: true });
    },
    pull(controller) {
      if (isPending) controller.enqueue(encoder.encode(TOOLS_CHANGED));
      isPending = false;
    },
    cancel() {
      close();
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}
