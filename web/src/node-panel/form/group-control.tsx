import { createEmptyValue, type Field, type Schema } from '../model/field.ts';
import { isRecord } from '../model/field-path.ts';
import { FieldSet } from './field-set.tsx';
import { useForm } from './form-context.ts';
import { Section, type SectionProps } from './section.tsx';

/** An object with known fields. */
export function GroupControl({
  schema,
  fields,
  ...frame
}: SectionProps & { schema: Schema; fields: readonly Field[] }) {
  const { change } = useForm();
  const { fieldPath, value, isRequired } = frame;
  return (
    <Section
      {...frame}
      isSet={isRequired || value !== undefined}
      onAdd={() => change(fieldPath, createEmptyValue(schema))}
      onRemove={isRequired ? undefined : () => change(fieldPath, undefined)}
    >
      <FieldSet fields={fields} object={isRecord(value) ? value : {}} fieldPath={fieldPath} />
    </Section>
  );
}
