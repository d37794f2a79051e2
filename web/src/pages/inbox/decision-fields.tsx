import type { Decision } from 'weft-client';
import { toFieldError } from '../../data/error-text.ts';
import { Checkbox, Field, Input, Select, TextArea, type ControlProps } from '../../ui/field.tsx';
import { t } from '../../i18n/index.ts';

type DecisionField = Decision['fields'][number];
/** What is entered: a text, the chosen options, or whether a consent is given. */
export type EnteredValues = Readonly<Record<string, string | readonly string[] | boolean>>;

export function createInitialValues(fields: readonly DecisionField[]): EnteredValues {
  return Object.fromEntries(fields.map((field) => [field.name, initialValue(field)]));
}

function initialValue({ type, default: initial }: DecisionField): EnteredValues[string] {
  if (type === 'consent') return false;
  if (type === 'choices') return initial === '' ? [] : [initial];
  return initial;
}

/**
 * The values to send: those that are shown. The service converts texts of numbers. Empty ones are sent,
 * because a missing one would get its default.
 */
export function toValues(fields: readonly DecisionField[], entered: EnteredValues): Record<string, unknown> {
  return Object.fromEntries(
    fields
      .filter((field) => isShown(fields, field, entered))
      .map(({ name }) => [name, entered[name]])
      .filter(([, value]) => value !== undefined),
  );
}

function isShown(fields: readonly DecisionField[], field: DecisionField, entered: EnteredValues): boolean {
  const { show_when: condition } = field;
  if (condition === null) return true;
  const source = fields.find(({ name }) => name === condition.field);
  if (source === undefined || !isShown(fields, source, entered)) return false;
  const value = entered[source.name];
  return Array.isArray(value) ? value.includes(condition.equals as string) : value === condition.equals;
}

/** The fields of a decision. */
export function DecisionFields({
  fields,
  entered,
  error,
  onChange,
}: {
  fields: readonly DecisionField[];
  entered: EnteredValues;
  /** The error of the last response, with the issues of single fields. */
  error: unknown;
  onChange: (entered: EnteredValues) => void;
}) {
  return fields
    .filter((field) => field.type !== 'hidden' && isShown(fields, field, entered))
    .map((field) => (
      <OneField
        key={field.name}
        field={field}
        value={entered[field.name] ?? ''}
        error={toFieldError(error, `values.${field.name}`)}
        onChange={(value) => onChange({ ...entered, [field.name]: value })}
      />
    ));
}

type OneFieldProps = {
  field: DecisionField;
  value: EnteredValues[string];
  error: string | null;
  onChange: (value: EnteredValues[string]) => void;
};

function OneField({ field, value, error, onChange }: OneFieldProps) {
  const { label, hint, required, type } = field;
  const isGroup = type === 'choices' || type === 'consent';
  return (
    <Field
      label={type === 'consent' ? t('Consent') : label}
      hint={hint}
      error={error}
      isOptional={!required}
      isGroup={isGroup}
    >
      {(control) => <Control field={field} value={value} control={control} onChange={onChange} />}
    </Field>
  );
}

const INPUT_TYPES: Readonly<Record<string, string>> = {
  email: 'email',
  date: 'date',
  time: 'time',
  date_time: 'datetime-local',
};

function Control({
  field,
  value,
  control,
  onChange,
}: Omit<OneFieldProps, 'error'> & { control: ControlProps }) {
  const { type, options, label } = field;
  if (type === 'consent')
    return (
      <Checkbox
        label={label}
        checked={value === true}
        aria-describedby={control['aria-describedby']}
        aria-invalid={control['aria-invalid']}
        onChange={({ target }) => onChange(target.checked)}
      />
    );
  if (type === 'choices') {
    const selected = Array.isArray(value) ? (value as readonly string[]) : [];
    return (
      <div
        className="decision__options"
        role="group"
        aria-label={label}
        aria-describedby={control['aria-describedby']}
      >
        {options.map((option) => (
          <Checkbox
            key={option}
            label={option}
            checked={selected.includes(option)}
            onChange={({ target }) =>
              onChange(target.checked ? [...selected, option] : selected.filter((one) => one !== option))
            }
          />
        ))}
      </div>
    );
  }
  const text = typeof value === 'string' ? value : '';
  if (type === 'choice')
    return (
      <Select {...control} value={text} onChange={({ target }) => onChange(target.value)}>
        <option value="">{t('Choose…')}</option>
        {options.map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
      </Select>
    );
  if (type === 'long_text')
    return <TextArea {...control} rows={5} value={text} onChange={({ target }) => onChange(target.value)} />;
  return (
    <Input
      {...control}
      type={INPUT_TYPES[type] ?? 'text'}
      inputMode={type === 'number' ? 'decimal' : undefined}
      value={text}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
