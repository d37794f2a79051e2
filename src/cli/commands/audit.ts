import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { AuditEvent, ExportAuditEventsQuery } from '../../../sdk/src/index.ts';
import type { ConnectOptions } from '../connect.ts';
import type { RunContext } from '../run-context.ts';
import { toPlainText, timeText } from '../terminal/text.ts';
import { showList, type ListOptions } from './list.ts';

type AuditOptions = ConnectOptions &
  ListOptions & {
    readonly actor?: string;
    readonly action?: string;
    readonly targetType?: string;
    readonly targetId?: string;
    readonly outcome?: string;
    readonly from?: string;
    readonly to?: string;
    readonly export?: boolean;
  };

export async function listAuditEvents(context: RunContext, options: AuditOptions): Promise<undefined> {
  const { actor, action, targetType, targetId, outcome, from, to } = options;
  // The service validates the values.
  const filters = {
    actor,
    action,
    target_type: targetType,
    target_id: targetId,
    outcome,
    from,
    to,
  } as ExportAuditEventsQuery;
  if (options.export === true) return exportLines(context, filters);
  await showList(
    context,
    options,
    'audit_events',
    (page, given) => context.client.auditEvents.list({ ...page, ...filters }, given),
    [
      { title: 'TIME', of: (one) => timeText(one.created_at) },
      { title: 'ACTION', of: (one) => (one.outcome === 'failure' ? `${one.action} (refused)` : one.action) },
      { title: 'ACTOR', of: (one) => describeActor(one) },
      { title: 'BY', of: (one) => one.actor.credential },
      { title: 'ADDRESS', of: (one) => one.actor.address ?? '' },
      { title: 'TARGET', of: ({ target }) => toPlainText(target.name ?? target.id ?? ''), isLoose: true },
    ],
    'No event matches.',
  );
  return undefined;
}

/** Prints the lines as the service sends them. */
async function exportLines(
  { client, printer, signal }: RunContext,
  filters: ExportAuditEventsQuery,
): Promise<undefined> {
  const { body } = await client.auditEvents.export(filters, { signal });
  if (body === null) return undefined;
  const input = Readable.fromWeb(body as ReadableStream);
  for await (const line of createInterface({ input, crlfDelay: Infinity })) printer.line(line);
  return undefined;
}

function describeActor({ actor }: AuditEvent): string {
  return toPlainText(actor.email ?? actor.user_id ?? actor.credential_id ?? '');
}
