import { Plus, X } from 'lucide-react';
import { Button, IconButton } from '../../ui/button.tsx';
import { Checkbox, Input, Select } from '../../ui/field.tsx';
import { TYPES, type FieldRow, type FieldType } from './registration.ts';
import { toSentenceCase, t } from '../../i18n/index.ts';

/** The inputs or outputs of a node, one per row. */
export function FieldRows({
  legend,
  hint,
  rows,
  hasRequired,
  error,
  onChange,
}: {
  legend: string;
  hint: string;
  rows: readonly FieldRow[];
  hasRequired: boolean;
  error: string | null;
  onChange: (rows: FieldRow[]) => void;
}) {
  const change = (index: number, changes: Partial<FieldRow>): void =>
    onChange(rows.map((row, i) => (i === index ? { ...row, ...changes } : row)));
  return (
    <fieldset className="fieldset">
      <legend>{legend}</legend>
      <p className="field__hint">{hint}</p>
      {rows.map((row, i) => (
        <div key={i} className="field-row">
          <Input
            aria-label={t('Name, {{list}} {{number}}', { list: toSentenceCase(legend), number: i + 1 })}
            className="input--mono"
            placeholder={t('name')}
            spellCheck={false}
            value={row.name}
            onChange={(event) => change(i, { name: event.target.value })}
          />
          <Select
            aria-label={t('Type, {{list}} {{number}}', { list: toSentenceCase(legend), number: i + 1 })}
            value={row.type}
            onChange={(event) => change(i, { type: event.target.value as FieldType })}
          >
            {TYPES.map((type) => (
              <option key={type}>{type}</option>
            ))}
          </Select>
          {hasRequired && (
            <Checkbox
              label={t('Required')}
              checked={row.required}
              onChange={(event) => change(i, { required: event.target.checked })}
            />
          )}
          <IconButton
            label={
              row.name === ''
                ? t('Remove row {{number}}', { number: i + 1 })
                : t('Remove {{name}}', { name: row.name })
            }
            size="small"
            icon={<X size={14} />}
            onClick={() => onChange(rows.filter((_, index) => index !== i))}
          />
        </div>
      ))}
      <div>
        <Button
          size="small"
          icon={<Plus size={13} />}
          onClick={() => onChange([...rows, { name: '', type: 'string', required: hasRequired }])}
        >
          {t('Add field')}
        </Button>
      </div>
      {error !== null && (
        <p className="field__error" role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
}
