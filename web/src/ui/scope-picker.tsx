import { SCOPES, type Scope } from '../data/scopes.ts';
import { Checkbox } from './field.tsx';
import { t } from '../i18n/index.ts';

export function ScopePicker({
  legend,
  selected,
  isAdmin,
  error,
  onChange,
}: {
  legend: string;
  selected: readonly Scope[];
  isAdmin: boolean;
  error: string | null;
  onChange: (selected: Scope[]) => void;
}) {
  return (
    <fieldset className="fieldset">
      <legend>{legend}</legend>
      <div className="scopes">
        {SCOPES.filter((one) => isAdmin || one.isForAdmins !== true).map(({ scope, label }) => (
          <Checkbox
            key={scope}
            label={<code>{scope}</code>}
            hint={label}
            checked={selected.includes(scope)}
            onChange={(event) =>
              onChange(event.target.checked ? [...selected, scope] : selected.filter((one) => one !== scope))
            }
          />
        ))}
      </div>
      {error !== null && (
        <p className="field__error" role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
}

/** The scopes of a key or client in a table row. */
export function ScopeList({ scopes }: { scopes: readonly string[] | null }) {
  if (scopes === null) return <span className="soft">{t('Full access')}</span>;
  return (
    <span className="scope-list">
      {scopes.map((scope) => (
        <code key={scope} className="tag">
          {scope}
        </code>
      ))}
    </span>
  );
}
