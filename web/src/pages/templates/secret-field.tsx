import type { TemplateParameter } from 'weft-client';
import { Badge } from '../../ui/badge.tsx';
import { TextField } from '../../ui/field.tsx';
import { t } from '../../i18n/index.ts';

export type SecretEntry = { name: string; value: string };

/** A parameter that takes the name of a secret. A new secret can be created in place. */
export function SecretField({
  parameter,
  entry,
  secretNames,
  error,
  onChange,
}: {
  parameter: TemplateParameter;
  entry: SecretEntry;
  secretNames: ReadonlySet<string>;
  error: string | null;
  onChange: (entry: SecretEntry) => void;
}) {
  const isKnown = secretNames.has(entry.name);
  return (
    <div className="secret-field">
      <TextField
        label={
          <>
            {t('Secret')}{' '}
            {isKnown ? (
              <Badge tone="good">{t('Exists')}</Badge>
            ) : (
              <Badge tone="warn">{t('Not created yet')}</Badge>
            )}
          </>
        }
        hint={parameter.description}
        error={error}
        className="input--mono"
        value={entry.name}
        onChange={(event) => onChange({ ...entry, name: event.target.value })}
      />
      {!isKnown && (
        <TextField
          label={t('Secret value')}
          isOptional
          type="password"
          autoComplete="new-password"
          hint={t('Stored encrypted and never shown again. You can also create the secret later.')}
          value={entry.value}
          onChange={(event) => onChange({ ...entry, value: event.target.value })}
        />
      )}
    </div>
  );
}
