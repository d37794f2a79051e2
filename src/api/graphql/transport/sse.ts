import type { CredentialExpiryWatcher } from '../../../auth/credential-expiry-watcher.ts';
import type { Json } from '../../../lib/json/json.ts';
import { EventStream, type EventSink } from '../../rest/route.ts';
import type { RequestContext } from '../request-context.ts';
import type { PreparedOperation } from '../documents.ts';
import { formatWeftError } from '../request-error.ts';
import type { Runner, FormattedResponse, Variables } from '../run.ts';

/**
 * Streams one operation as server-sent events, in the distinct connections mode of GraphQL over SSE: a `next`
 * event for each response, then `complete`. A slow client gets the latest state of each execution; a client
 * with more than 1 MiB buffered is disconnected.
 */
export function createEventStream(
  {
    operation,
    variables,
    caller,
  }: { operation: PreparedOperation; variables: Variables; caller: RequestContext },
  { runner, credentials }: { runner: Runner; credentials: CredentialExpiryWatcher },
): EventStream {
  return new EventStream(async (sink) => {
    if (operation.node.operation !== 'subscription') {
      sendNext(sink, await runner.run(operation, variables, caller));
      sendComplete(sink);
      return;
    }
    const responses = await runner.subscribe(operation, variables, caller);
    if (!(Symbol.asyncIterator in responses)) {
      sendNext(sink, responses);
      sendComplete(sink);
      return;
    }
    let unwatch = (): void => {};
    sink.onClose(() => {
      unwatch();
      void responses.return();
    });
    if (caller.principal !== null) {
      unwatch = credentials.watch(caller.principal, (error) => {
        sendNext(sink, { errors: [formatWeftError(error)] });
        sendComplete(sink);
      });
    }
    for await (const response of responses) {
      sendNext(sink, response);
      await sink.ready();
    }
    sendComplete(sink);
  });
}

function sendNext(sink: EventSink, response: FormattedResponse): void {
  sink.send(response as unknown as Json, 'next');
}

function sendComplete(sink: EventSink): void {
  sink.send(null, 'complete');
  sink.close();
}
