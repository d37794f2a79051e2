import { ChevronDown, CircleAlert } from 'lucide-react';
import { Switch as RadixSwitch } from 'radix-ui';
import { useId, type ComponentProps, type ReactNode } from 'react';
import { joinClassNames } from './class-names.ts';
import { t } from '../i18n/index.ts';

/** The attributes that connect a control to its label, hint and error. */
export type ControlProps = {
  id: string;
  'aria-describedby'?: string | undefined;
  'aria-invalid'?: boolean | undefined;
  required?: boolean | undefined;
};

export type FieldProps = {
  label: ReactNode;
  hint?: ReactNode;
  /** The validation error, shown in place of the hint. */
  error?: string | null | undefined;
  /** Marks the label as optional. */
  isOptional?: boolean | undefined;
  /** The control cannot be the target of a label, and has its own accessible name. */
  isGroup?: boolean | undefined;
  /** The path of the value in a configuration, for links to the field. */
  path?: string | undefined;
};

/** A label with its control, hint and error. `children` receives the control's id and ARIA attributes. */
export function Field({
  label,
  hint,
  error,
  isOptional = false,
  isGroup = false,
  path,
  children,
}: FieldProps & { children: (control: ControlProps) => ReactNode }) {
  const id = useId();
  const hasError = error !== undefined && error !== null && error !== '';
  const Label = isGroup ? 'span' : 'label';
  const below = hasError || (hint !== undefined && hint !== null);
  return (
    <div className="field" data-field={path}>
      <Label className="field__label" {...(isGroup ? {} : { htmlFor: id })}>
        {label}
        {isOptional && <span className="field__optional"> {t('(optional)')}</span>}
      </Label>
      {children({
        id,
        ...(below ? { 'aria-describedby': `${id}-below` } : {}),
        ...(hasError ? { 'aria-invalid': true } : {}),
      })}
      {hasError ? (
        <p className="field__error" id={`${id}-below`} role="alert">
          <CircleAlert size={13} aria-hidden="true" />
          <span className="visually-hidden">{label}: </span>
          <span>{error}</span>
        </p>
      ) : (
        below && (
          <p className="field__hint" id={`${id}-below`}>
            {hint}
          </p>
        )
      )}
    </div>
  );
}

export function Input({ className, ...rest }: ComponentProps<'input'>) {
  return <input autoComplete="off" {...rest} className={joinClassNames('input', className)} />;
}

export function TextArea({ className, ...rest }: ComponentProps<'textarea'>) {
  return <textarea {...rest} className={joinClassNames('input', className)} />;
}

/** The native select, which works with every keyboard, screen reader and phone. */
export function Select({ className, children, ...rest }: ComponentProps<'select'>) {
  return (
    <span className="select">
      <select {...rest} className={joinClassNames('input', className)}>
        {children}
      </select>
      <ChevronDown size={14} aria-hidden="true" />
    </span>
  );
}

export function TextField({
  label,
  hint,
  error,
  isOptional,
  ...rest
}: FieldProps & Omit<ComponentProps<'input'>, 'id'>) {
  return (
    <Field label={label} hint={hint} error={error} isOptional={isOptional}>
      {(control) => <Input {...rest} {...control} />}
    </Field>
  );
}

export function SelectField({
  label,
  hint,
  error,
  isOptional,
  children,
  ...rest
}: FieldProps & Omit<ComponentProps<'select'>, 'id'>) {
  return (
    <Field label={label} hint={hint} error={error} isOptional={isOptional}>
      {(control) => (
        <Select {...rest} {...control}>
          {children}
        </Select>
      )}
    </Field>
  );
}

export function TextAreaField({
  label,
  hint,
  error,
  isOptional,
  ...rest
}: FieldProps & Omit<ComponentProps<'textarea'>, 'id'>) {
  return (
    <Field label={label} hint={hint} error={error} isOptional={isOptional}>
      {(control) => <TextArea {...rest} {...control} />}
    </Field>
  );
}

export function Checkbox({
  label,
  hint,
  ...rest
}: Omit<ComponentProps<'input'>, 'type'> & { label: ReactNode; hint?: ReactNode }) {
  return (
    <label className="check">
      <input {...rest} type="checkbox" />
      <span>
        {label}
        {hint !== undefined && <span className="check__hint">{hint}</span>}
      </span>
    </label>
  );
}

/** For a setting that applies immediately; use a `Checkbox` for one that is saved later. */
export function Switch({
  label,
  isOn,
  onChange,
  disabled = false,
}: {
  label: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  disabled?: boolean | undefined;
}) {
  return (
    <RadixSwitch.Root
      className="switch"
      aria-label={label}
      checked={isOn}
      disabled={disabled}
      onCheckedChange={onChange}
    >
      <RadixSwitch.Thumb className="switch__thumb" />
    </RadixSwitch.Root>
  );
}
