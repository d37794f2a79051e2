import { CodeEditor } from './code-editor.tsx';
import { Field, type FieldProps } from '../field.tsx';

/** A code editor with a label, hint and error. */
export function CodeField({
  label,
  hint,
  error,
  isOptional,
  language,
  value,
  onChange,
}: Omit<FieldProps, 'label'> & {
  label: string;
  language: 'javascript' | 'json';
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <Field label={label} hint={hint} error={error} isOptional={isOptional} isGroup>
      {() => <CodeEditor label={label} language={language} value={value} onChange={onChange} />}
    </Field>
  );
}
