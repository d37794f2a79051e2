import { Fragment } from 'react';
import { Link } from 'wouter';
import type { AuditEvent } from 'weft-client';
import { Button } from '../../ui/button.tsx';
import { JsonTree } from '../../ui/code/json-tree.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { CREDENTIALS, describeAction } from './audit-words.ts';
import { locale, t } from '../../i18n/index.ts';

const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'medium' });

/** Everything that the audit log contains about an event. */
export function AuditEventDialog({
  event,
  historyHref,
  onClose,
}: {
  event: AuditEvent;
  /** The list of all events of the target. */
  historyHref: string;
  onClose: () => void;
}) {
  const { action, actor, target, details } = event;
  const facts: readonly (readonly [name: string, value: string | null])[] = [
    [t('Time'), dateTime.format(Date.parse(event.created_at))],
    [t('Action'), action],
    [t('Target'), target.name],
    [t('Target id'), target.id],
    [t('User'), actor.email],
    [t('User id'), actor.user_id],
    [t('Credential'), CREDENTIALS[actor.credential]],
    [t('Credential id'), actor.credential_id],
    [t('IP address'), actor.address],
    [t('Browser or program'), actor.user_agent],
    [t('Event id'), event.id],
  ];
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={describeAction(event)}
      foot={<Button onClick={onClose}>{t('Close')}</Button>}
    >
      <div className="stack">
        <dl className="fact-list">
          {facts
            .filter(([, value]) => value !== null)
            .map(([name, value]) => (
              <Fragment key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </Fragment>
            ))}
        </dl>
        {Object.keys(details).length > 0 && <JsonTree name={t('Details')} value={details} openLevels={3} />}
        {target.id !== null && <Link href={historyHref}>{t('Show all events of this target')}</Link>}
      </div>
    </Dialog>
  );
}
