import { emptyValue, type Field, type Schema } from '../model/field.ts';
import { isRecord } from '../model/json-pointer.ts';
import { useForm } from './form-context.ts';
import { Section, type SectionProps } from './section.tsx';

/** An object with known fields. */
export function GroupControl({
  schema,
  fields,
  ...frame
}: SectionProps & { schema: Schema; fields: readonly Field[] }) {
  const { change, Row } = useForm();
  const { place, value, isRequired } = frame;
  return (
    <Section
      {...frame}
      isSet={isRequired || value !== undefined}
      onAdd={() => change(place, emptyValue(schema))}
      onRemove={isRequired ? undefined : () => change(place, undefined)}
    >
      {fields.map((field) => (
        <Row
          key={field.key}
          field={field}
          place={[...place, field.key]}
          value={isRecord(value) ? value[field.key] : undefined}
        />
      ))}
    </Section>
  );
}
