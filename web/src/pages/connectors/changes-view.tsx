import type { PackInstallation } from 'weft-client';
import { t } from '../../i18n/index.ts';

type Changes = PackInstallation['changes'];
type Change = Changes['changed'][number];

/** The differences between the newest installed version and another one. */
export function ChangesView({ changes }: { changes: Changes }) {
  const { added_count: added, removed_count: removed, changed_count: changed } = changes;
  if (added + removed + changed === 0)
    return (
      <p className="soft">
        {t('No operation differs from version {{version}}.', { version: changes.from_version ?? '' })}
      </p>
    );
  return (
    <div className="pack-changes" role="region" aria-label={t('Changes')} tabIndex={0}>
      <p>
        {t('Since version {{version}}: {{added}} added, {{removed}} removed, {{changed}} changed.', {
          version: changes.from_version ?? '',
          added,
          removed,
          changed,
        })}
      </p>
      <Operations title={t('Removed operations')} count={removed} operations={changes.removed} />
      <Operations title={t('Changed operations')} count={changed} operations={changes.changed} />
      <Operations title={t('Added operations')} count={added} operations={changes.added} />
    </div>
  );
}

function Operations({
  title,
  count,
  operations,
}: {
  title: string;
  count: number;
  operations: readonly (Changes['added'][number] | Change)[];
}) {
  if (count === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <ul>
        {operations.map((one) => (
          <li key={one.id}>
            {one.title} {one.title !== one.id && <code className="faint">{one.id}</code>}
            {'required' in one && <span className="pack-changes__fields">{fieldsText(one)}</span>}
          </li>
        ))}
        {count > operations.length && (
          <li className="faint">{t('and {{rest}} more', { rest: count - operations.length })}</li>
        )}
      </ul>
    </section>
  );
}

function fieldsText({ required, added, removed, changed, properties }: Change): string {
  const parts = [
    required.length > 0 && t('now required: {{fields}}', { fields: required.join(', ') }),
    added.length > 0 && t('added: {{fields}}', { fields: added.join(', ') }),
    removed.length > 0 && t('removed: {{fields}}', { fields: removed.join(', ') }),
    changed.length > 0 && t('changed: {{fields}}', { fields: changed.join(', ') }),
    properties.length > 0 && t('other: {{fields}}', { fields: properties.join(', ') }),
  ];
  return parts.filter((part) => part !== false).join('; ');
}
