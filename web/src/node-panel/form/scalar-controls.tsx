import { Braces } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from '../../ui/button.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { readDroppedPath, isPathDrag } from '../data/path-drag.ts';
import { toTemplate } from '../model/insert-path.ts';
import { hasTemplate } from '../model/local-preview.ts';
import { isCovered } from '../model/template-scope.ts';
import { isBrokenJson, formatValue, parseValue } from '../model/format-value.ts';
import { useForm, type Choice, type ControlProps } from './form-context.ts';
import { TemplateInput } from './template-input.tsx';
import { useDraft } from './use-draft.ts';
import { t } from '../../i18n/index.ts';

const DURATION = /^\d{1,15}(?:\.\d{1,9})?(?:ms|s|m|h|d)$/;

export function TextControl(
  props: ControlProps & { isLong: boolean; isPath?: boolean; takesList?: boolean },
) {
  const {
    fieldPath,
    value,
    isLong,
    isPath = false,
    takesList = false,
    isRequired,
    fallback,
    placeholder,
  } = props;
  const { change } = useForm();
  return (
    <TemplateInput
      {...selectFieldProps(props)}
      fieldPath={fieldPath}
      text={typeof value === 'string' ? value : formatValue(value)}
      onText={(text) =>
        change(fieldPath, text === '' && !isRequired ? undefined : takesList ? parseListOrText(text) : text)
      }
      isLong={isLong}
      isPath={isPath}
      isMono={isPath}
      placeholder={placeholder ?? (fallback === undefined ? undefined : formatValue(fallback))}
    />
  );
}

/** Any JSON value. Text that is not valid JSON is a string. */
export function ValueControl(props: ControlProps & { isLong?: boolean }) {
  const { fieldPath, value, isRequired, isLong = true, placeholder = t('Text, template or JSON') } = props;
  const { change } = useForm();
  const [text, edit] = useDraft(value, formatValue);
  return (
    <>
      <TemplateInput
        {...selectFieldProps(props)}
        fieldPath={fieldPath}
        text={text}
        value={value}
        onText={(next) => {
          const means = next === '' && !isRequired ? undefined : parseValue(next);
          edit(next, means);
          change(fieldPath, means);
        }}
        isLong={isLong}
        isMono={typeof value === 'object'}
        placeholder={placeholder}
      />
      {isBrokenJson(text) && <p className="field__hint">{t('Not valid JSON; saved as text.')}</p>}
    </>
  );
}

export function DurationControl(props: ControlProps) {
  const { fieldPath, value, fallback } = props;
  const { change } = useForm();
  const text = typeof value === 'string' ? value : '';
  return (
    <OrTemplate {...props}>
      <Input
        {...selectInputProps(props)}
        className="input--mono"
        value={text}
        placeholder={typeof fallback === 'string' ? fallback : t('e.g. 500ms, 5s, 2m, 1h, 1d')}
        onChange={({ target }) => change(fieldPath, target.value === '' ? undefined : target.value)}
      />
      {text !== '' && !DURATION.test(text) && (
        <p className="field__hint">{t('must be a number with a unit: 500ms, 5s, 2m, 1h or 1d')}</p>
      )}
    </OrTemplate>
  );
}

export function NumberControl(props: ControlProps & { isWhole: boolean }) {
  const { fieldPath, value, isWhole, fallback } = props;
  const { change } = useForm();
  const [text, edit] = useDraft(value, printNumber);
  return (
    <OrTemplate {...props}>
      <Input
        {...selectInputProps(props)}
        inputMode={isWhole ? 'numeric' : 'decimal'}
        value={text}
        placeholder={fallback === undefined ? undefined : formatValue(fallback)}
        onChange={({ target }) => {
          const means = parseNumber(target.value);
          edit(target.value, means);
          change(fieldPath, means);
        }}
      />
    </OrTemplate>
  );
}

export function SwitchControl(props: ControlProps) {
  const { fieldPath, value, fallback } = props;
  const { change } = useForm();
  return (
    <OrTemplate {...props}>
      <Select
        {...selectInputProps(props)}
        value={value === undefined ? '' : formatValue(value)}
        onChange={({ target }) =>
          change(fieldPath, target.value === '' ? undefined : target.value === 'true')
        }
      >
        <option value="">
          {fallback === undefined ? t('Not set') : fallback === true ? t('Default: yes') : t('Default: no')}
        </option>
        <option value="true">{t('Yes')}</option>
        <option value="false">{t('No')}</option>
      </Select>
    </OrTemplate>
  );
}

export function ChoiceControl(props: ControlProps & { options: readonly unknown[] }) {
  const { fieldPath, value, options, isRequired, fallback, labels = {} } = props;
  const { change } = useForm();
  // A value that is not an option is shown unchanged.
  const isOdd = value !== undefined && !options.includes(value);
  const getName = (option: string): string => labels[option] ?? toWords(option);
  return (
    <OrTemplate {...props}>
      <Select
        {...selectInputProps(props)}
        value={value === undefined ? '' : formatValue(value)}
        onChange={({ target }) =>
          change(
            fieldPath,
            options.find((option) => String(option) === target.value),
          )
        }
      >
        {(!isRequired || value === undefined) && (
          <option value="">
            {fallback !== undefined
              ? t('Default: {{value}}', { value: getName(formatValue(fallback)) })
              : isRequired
                ? t('Choose…')
                : t('Not set')}
          </option>
        )}
        {isOdd && (
          <option value={formatValue(value)}>
            {t('{{value}} (unknown)', { value: formatValue(value) })}
          </option>
        )}
        {options.map((option) => (
          <option key={String(option)} value={String(option)}>
            {getName(String(option))}
          </option>
        ))}
      </Select>
    </OrTemplate>
  );
}

/** Selects an existing resource by its label. An unknown name is kept. */
export function NameControl(props: ControlProps & { choices: readonly Choice[]; empty: string }) {
  const { fieldPath, value, choices, empty } = props;
  const { change } = useForm();
  const current = typeof value === 'string' ? value : '';
  const isKnown = current === '' || choices.some((choice) => choice.value === current);
  return (
    <OrTemplate {...props}>
      <Select
        {...selectInputProps(props)}
        value={current}
        onChange={({ target }) => change(fieldPath, target.value === '' ? undefined : target.value)}
      >
        <option value="">{choices.length === 0 ? empty : t('None')}</option>
        {!isKnown && <option value={current}>{t('{{name}} (not found)', { name: current })}</option>}
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </Select>
    </OrTemplate>
  );
}

/**
 * A control for literal values that can switch to a template and back. A dropped path becomes a template. A
 * field without template support only allows removing one.
 */
export function OrTemplate({ children, ...props }: ControlProps & { children: ReactNode }) {
  const { fieldPath, value } = props;
  const { change, literalFields } = useForm();
  const isTemplate = typeof value === 'string' && hasTemplate(value);
  if (!isTemplate && literalFields.some((pattern) => isCovered(fieldPath, pattern))) return children;
  return (
    <div
      className="or-template"
      onDragOver={(event) => {
        if (!isTemplate && isPathDrag(event)) event.preventDefault();
      }}
      onDrop={(event) => {
        if (isTemplate || !isPathDrag(event)) return;
        event.preventDefault();
        change(fieldPath, toTemplate(readDroppedPath(event)));
      }}
    >
      <div className="or-template__control">
        {isTemplate ? (
          <TemplateInput
            {...selectFieldProps(props)}
            fieldPath={fieldPath}
            text={value}
            onText={(text) => change(fieldPath, text === '' ? undefined : text)}
          />
        ) : (
          children
        )}
      </div>
      <IconButton
        size="small"
        icon={<Braces size={14} />}
        label={isTemplate ? t('Use fixed value') : t('Use template')}
        aria-pressed={isTemplate}
        onClick={() => change(fieldPath, isTemplate ? undefined : '{{ input }}')}
      />
    </div>
  );
}

const selectFieldProps = ({ id, describedBy, isInvalid }: ControlProps) => ({ id, describedBy, isInvalid });

const selectInputProps = ({ id, describedBy, isInvalid }: ControlProps) => ({
  id,
  'aria-describedby': describedBy,
  'aria-invalid': isInvalid || undefined,
});

const parseListOrText = (text: string): unknown => {
  const value = parseValue(text);
  return Array.isArray(value) ? value : text;
};

const printNumber = (value: unknown): string => (value === undefined ? '' : formatValue(value));

/** A text that is not a number is sent unchanged; the service returns the validation error. */
function parseNumber(text: string): number | string | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  return Number.isFinite(Number(trimmed)) ? Number(trimmed) : trimmed;
}

/** `greater_than` in words; upper-case names are kept. */
function toWords(option: string): string {
  return /^[a-z][a-z\d]*(?:_[a-z\d]+)*$/.test(option) ? option.replaceAll('_', ' ') : option;
}
