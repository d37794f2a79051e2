import type { TemplateParameter } from 'weft-client';
import { Checkbox, SelectField, TextAreaField, TextField } from '../../ui/field.tsx';
import { t } from '../../i18n/index.ts';

/** The value of a field; `boolean` for a checkbox. */
export type Entry = string | boolean;

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** A longer default, such as instructions for a model, gets several lines. */
const MAX_LINE_LENGTH = 80;

/** The initial value of the field. */
export function createInitialEntry({ type, default: value, options }: TemplateParameter): Entry {
  if (type === 'boolean' && options.length === 0) return value === true;
  if (value === undefined) return '';
  if (type === 'object' || type === 'array') return JSON.stringify(value, null, 2);
  return asText(value);
}

/**
 * Parses an entry; undefined: no value, so that the default applies.
 * @throws {Error} with a message for the user when the entry is invalid.
 */
export function parseEntry(parameter: TemplateParameter, entry: Entry): unknown {
  const { type, options } = parameter;
  if (typeof entry === 'boolean') return entry;
  if (entry.trim() === '') return undefined;
  if (options.length > 0) return options.find((one) => asText(one) === entry) ?? entry;
  if (type === 'number' || type === 'integer') {
    const number = Number(entry);
    if (!Number.isFinite(number) || (type === 'integer' && !Number.isInteger(number)))
      throw new Error(type === 'integer' ? t('must be a whole number') : t('must be a number'));
    return number;
  }
  if (type === 'object' || type === 'array') {
    try {
      return JSON.parse(entry) as unknown;
    } catch {
      throw new Error(type === 'array' ? t('must be a JSON array: […]') : t('must be a JSON object: {…}'));
    }
  }
  return entry;
}

const formatLabel = (name: string): string => {
  const text = name.replaceAll('_', ' ').replaceAll(/\b(url|crm|api)\b/g, (word) => word.toUpperCase());
  return text.charAt(0).toUpperCase() + text.slice(1);
};

export function ParameterField({
  parameter,
  entry,
  error,
  onChange,
}: {
  parameter: TemplateParameter;
  entry: Entry;
  error: string | null;
  onChange: (entry: Entry) => void;
}) {
  const { name, type, required, options, description } = parameter;
  const label = formatLabel(name);
  if (typeof entry === 'boolean')
    return (
      <Checkbox
        label={label}
        hint={description}
        checked={entry}
        onChange={(event) => onChange(event.target.checked)}
      />
    );
  const common = { label, hint: description, error, isOptional: !required };
  if (options.length > 0)
    return (
      <SelectField {...common} value={entry} onChange={(event) => onChange(event.target.value)}>
        {(entry === '' || !required) && <option value="">{required ? t('Select…') : t('Default')}</option>}
        {options.map((option) => (
          <option key={asText(option)} value={asText(option)}>
            {asText(option)}
          </option>
        ))}
      </SelectField>
    );
  if (type === 'object' || type === 'array')
    return (
      <TextAreaField
        {...common}
        className="input--mono"
        rows={3}
        spellCheck={false}
        value={entry}
        onChange={(event) => onChange(event.target.value)}
      />
    );
  if (typeof parameter.default === 'string' && parameter.default.length > MAX_LINE_LENGTH)
    return (
      <TextAreaField {...common} rows={4} value={entry} onChange={(event) => onChange(event.target.value)} />
    );
  const isNumber = type === 'number' || type === 'integer';
  return (
    <TextField
      {...common}
      value={entry}
      required={required}
      {...(isNumber ? { inputMode: 'decimal' as const } : {})}
      {...(/url/.test(name) ? { type: 'url', placeholder: 'https://…' } : {})}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
