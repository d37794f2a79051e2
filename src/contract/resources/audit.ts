import { auditActionNames, auditCredentials, auditOutcomes } from '../audit/audit-event.ts';
import { JsonObject, OneOf, Text, Time, defineList, nullable, defineResource } from './resource.ts';

const ActorResource = defineResource('AuditActor', 'Who acted.', {
  user_id: nullable(Text('Null for callers without an account, and for the service itself.')),
  email: nullable(
    Text('The e-mail address at the time of the event. For a refused sign-in: the one that was entered.'),
  ),
  credential: OneOf(
    auditCredentials,
    '`password`: a sign-in. `link`: the signed link of an e-mail. `client_secret`: the credentials of an OAuth client. `none`: the caller was not authenticated. `system`: the service itself or its operator.',
  ),
  credential_id: nullable(Text('The id of the session, API key, OAuth client or decision.')),
  address: nullable(Text('The IP address of the client, by the rule of `WEFT_TRUST_PROXY`.')),
  user_agent: nullable(Text('The `User-Agent` header, shortened to 256 characters.')),
});

const TargetResource = defineResource('AuditTarget', 'What was changed.', {
  type: Text('The part of the action before the dot.'),
  id: nullable(Text('Null if the target is unknown, as in a refused sign-in.')),
  name: nullable(Text('The name at the time of the event.')),
});

export const AuditEventResource = defineResource(
  'AuditEvent',
  'An entry of the audit log. It never changes.',
  {
    id: Text(),
    created_at: Time(),
    action: OneOf(auditActionNames, 'See the guide on the audit log.'),
    outcome: OneOf(auditOutcomes, '`failure`: the attempt was refused.'),
    actor: ActorResource,
    target: TargetResource,
    details: JsonObject('Which fields changed, and values that are not secret.'),
  },
);

export const AuditListResource = defineList('AuditEventList', 'audit_events', AuditEventResource);
