import { AuditListQuerySchema } from '../../../contract/requests/audit.ts';
import { AuditListResource } from '../../../contract/resources/audit.ts';
import { presentAuditEvents } from '../../serializers/audit.ts';
import type { GraphqlServices } from '../services.ts';
import { createOutputType, createQueryArgs, type OperationBuilder } from './operation-builder.ts';
import type { Operation } from './operation.ts';

export function auditOperations(builder: OperationBuilder, { audit }: GraphqlServices): Operation[] {
  const list = createOutputType(builder, AuditListResource);
  const listArgs = createQueryArgs(builder, AuditListQuerySchema);
  return [
    {
      kind: 'query',
      name: 'auditEvents',
      scope: 'audit:read',
      description: 'The events of the audit log, newest first. For administrators.',
      args: listArgs.args,
      type: list.type,
      cost: { limit: ['limit'] },
      resolve: async (args, principal) =>
        list.show(presentAuditEvents(await audit.list(principal, listArgs.read(args)))),
    },
  ];
}
