import type { AuditEvent } from '../contract/audit/audit-event.ts';
import type { Driver } from './driver.ts';
import type { Arguments, AuditedTransactionName, Result } from './transactions/registry.ts';

/** Runs a change in one transaction with its audit event, if it has one. */
export function writeAudited<K extends AuditedTransactionName>(
  write: Driver['write'],
  event: AuditEvent | null,
  name: K,
  ...args: Arguments<K>
): Promise<Result<K>> {
  return event === null
    ? write(name, ...args)
    : (write('withAuditEvent', event, name, args) as Promise<Result<K>>);
}
