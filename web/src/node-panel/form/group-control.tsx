import { createEmptyValue, type Field, type Schema } from '../model/field.ts';
import { isRecord } from '../model/json-pointer.ts';
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
  const { place, value, isRequired } = frame;
  return (
    <Section
      {...frame}
      isSet={isRequired || value !== undefined}
      onAdd={() => change(place, createEmptyValue(schema))}
      onRemove={isRequired ? undefined : () => change(place, undefined)}
    >
      <FieldSet fields={fields} object={isRecord(value) ? value : {}} place={place} />
    </Section>
  );
}
