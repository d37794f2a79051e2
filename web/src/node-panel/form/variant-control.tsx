import { Field as LabeledField, Select } from '../../ui/field.tsx';
import { listFields, createFilledObject, type Variant } from '../model/field.ts';
import { isRecord } from '../model/field-path.ts';
import { FieldSet } from './field-set.tsx';
import { useForm } from './form-context.ts';
import { Section, type SectionProps } from './section.tsx';
import { t } from '../../i18n/index.ts';

/** An object of one of several shapes. */
export function VariantControl({
  tag,
  variants,
  ...frame
}: SectionProps & { tag: string; variants: readonly Variant[] }) {
  const { change } = useForm();
  const { fieldPath, value, isRequired } = frame;
  return (
    <Section
      {...frame}
      isSet={isRequired || value !== undefined}
      choices={variants.map(({ label, schema }) => ({
        label,
        onAdd: () => change(fieldPath, createFilledObject(schema)),
      }))}
      onRemove={isRequired ? undefined : () => change(fieldPath, undefined)}
    >
      <VariantFields tag={tag} variants={variants} fieldPath={fieldPath} value={value} label={t('Type')} />
    </Section>
  );
}

/** The choice of the shape, and the fields of the one that is chosen. */
export function VariantFields({
  tag,
  variants,
  fieldPath,
  value,
  label,
}: Pick<SectionProps, 'fieldPath' | 'value'> & { tag: string; variants: readonly Variant[]; label: string }) {
  const { change } = useForm();
  const object = isRecord(value) ? value : {};
  const selected = variants.find((variant) => variant.value === object[tag]);
  const choose = (next: string): void => {
    const variant = variants.find((one) => one.value === next);
    if (variant === undefined) return;
    // What the other shape has as well, it keeps.
    const knownKeys = new Set(Object.keys(variant.schema.properties ?? {}));
    const retained = Object.fromEntries(Object.entries(object).filter(([key]) => knownKeys.has(key)));
    change(fieldPath, { ...createFilledObject(variant.schema), ...retained, [tag]: next });
  };
  return (
    <>
      <LabeledField label={label}>
        {(tied) => (
          <Select {...tied} value={selected?.value ?? ''} onChange={({ target }) => choose(target.value)}>
            {selected === undefined && <option value="">{t('Choose…')}</option>}
            {variants.map((variant) => (
              <option key={variant.value} value={variant.value}>
                {variant.label}
              </option>
            ))}
          </Select>
        )}
      </LabeledField>
      {selected !== undefined && (
        <FieldSet
          key={selected.value}
          fields={listFields(selected.schema).filter((field) => field.key !== tag)}
          object={object}
          fieldPath={fieldPath}
        />
      )}
    </>
  );
}
