import type { CredentialExpiryWatcher } from '../../../auth/credential-expiry-watcher.ts';
import type { Json } from '../../../lib/json/json.ts';
import { EventStream, type EventSink } from '../../rest/route.ts';
import type { RequestContext } from '../request-context.ts';
import type { PreparedOperation } from '../documents.ts';
import { showWeftError } from '../request-error.ts';
import type { Runner, Shown, Variables } from '../run.ts';

/**
 * One operation as server-sent events, in the distinct connections mode of the GraphQL over SSE protocol: an event `next` for
 * each answer, then `complete`. A client that does not keep up gets the latest state of each execution when it reads again; one
 * that lets a mebibyte pile up is cut off.
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
      next(sink, await runner.run(operation, variables, caller));
      complete(sink);
      return;
    }
    const answers = await runner.subscribe(operation, variables, caller);
    if (!(Symbol.asyncIterator in answers)) {
      next(sink, answers);
      complete(sink);
      return;
    }
    let unwatch = (): void => {};
    sink.onClose(() => {
      unwatch();
      void answers.return();
    });
    if (caller.principal !== null) {
      unwatch = credentials.watch(caller.principal, (error) => {
        next(sink, { errors: [showWeftError(error)] });
        complete(sink);
      });
    }
    for await (const answer of answers) {
      next(sink, answer);
      await sink.ready();
    }
    complete(sink);
  });
}

function next(sink: EventSink, answer: Shown): void {
  sink.send(answer as unknown as Json, 'next');
}

function complete(sink: EventSink): void {
  sink.send(null, 'complete');
  sink.close();
}
