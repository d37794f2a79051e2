import { Type } from 'typebox';
import { auditActionNames, auditOutcomes, auditTargetTypes } from '../audit/audit-event.ts';
import { pagingFields } from '../paging.ts';

const closed = { additionalProperties: false };

const filterFields = {
  actor: Type.Optional(
    Type.String({ minLength: 1, maxLength: 254, description: 'The id or the e-mail address of a user.' }),
  ),
  action: Type.Optional(Type.Enum(auditActionNames, { description: 'Only events of this action.' })),
  target_type: Type.Optional(
    Type.Enum(auditTargetTypes, { description: 'Only actions on targets of this type.' }),
  ),
  target_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'The id of a target, such as a workflow.' }),
  ),
  outcome: Type.Optional(Type.Enum([...auditOutcomes], { description: 'Default: both.' })),
  from: Type.Optional(
    Type.String({ maxLength: 40, description: 'Only events at or after this ISO 8601 time.' }),
  ),
  to: Type.Optional(Type.String({ maxLength: 40, description: 'Only events before this ISO 8601 time.' })),
};

export const AuditListQuerySchema = Type.Object({ ...pagingFields, ...filterFields }, closed);
export const AuditExportQuerySchema = Type.Object(filterFields, closed);
