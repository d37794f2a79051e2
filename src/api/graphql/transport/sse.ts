import type { CredentialExpiryWatcher } from '../../../auth/credential-expiry-watcher.ts';
import type { Json } from '../../../lib/json/json.ts';
import { EventStream, type EventSink } from '../../rest/route.ts';
import type { RequestContext } from '../request-context.ts';
import type { PreparedOperation } from '../documents.ts';
import { showWeftError } from '../request-error.ts';
import type { Runner, Shown, Variables } from '../run.ts';

/**
 * Streams one operation as server-sent events, in the distinct connections mode of GraphQL over SSE: a `next`
 * event for each response, then `complete`. A slow client gets the latest state of each execution; a client
 * with more than 1 MiB buffered is disconnected.
 */
export function eventStream(
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
    const answers = await runner.subscribe(operation, variables, caller);
    if (!(Symbol.asyncIterator in answers)) {
      sendNext(sink, answers);
      sendComplete(sink);
      return;
    }
    let unwatch = (): void => {};
    sink.onClose(() => {
      unwatch();
      void answers.return();
    });
    if (caller.principal !== null) {
      unwatch = credentials.watch(caller.principal, (error) => {
        sendNext(sink, { errors: [showWeftError(error)] });
        sendComplete(sink);
      });
    }
    for await (const answer of answers) {
      sendNext(sink, answer);
      await sink.ready();
    }
    sendComplete(sink);
  });
}

function sendNext(sink: EventSink, answer: Shown): void {
  sink.send(answer as unknown as Json, 'next');
}

function sendComplete(sink: EventSink): void {
  sink.send(null, 'complete');
  sink.close();
}
