import type { Json } from '../model/document.ts';
import type { FieldChange } from '../model/value-changes.ts';
import { t } from '../../i18n/index.ts';

const MAX_SHOWN = 100;
const MAX_VALUE_LENGTH = 160;

/** Lists fields with their values before and after. */
export function FieldChanges({ changes }: { changes: readonly FieldChange[] }) {
  return (
    <dl className="changes__fields">
      {changes.slice(0, MAX_SHOWN).map(({ path, before, after }) => (
        <div key={path}>
          <dt>{path === '' ? t('(the whole value)') : path}</dt>
          <dd>
            {before !== undefined && (
              <del>
                <span className="visually-hidden">{t('before:')} </span>
                {print(before)}
              </del>
            )}
            {after !== undefined && (
              <ins>
                <span className="visually-hidden">{t('after:')} </span>
                {print(after)}
              </ins>
            )}
          </dd>
        </div>
      ))}
      {changes.length > MAX_SHOWN && (
        <div>
          <dt className="faint">{t('and {{number}} more', { number: changes.length - MAX_SHOWN })}</dt>
        </div>
      )}
    </dl>
  );
}

function print(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (text === '') return '""';
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}
