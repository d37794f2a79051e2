import { Field as LabeledField } from '../../ui/field.tsx';
import { selectControl } from '../model/field.ts';
import { formatFieldName } from '../model/field-path.ts';
import { ConditionControl } from './condition-control.tsx';
import { useForm, type FieldProps } from './form-context.ts';
import { GroupControl } from './group-control.tsx';
import { JsonSchemaControl } from './json-schema-control.tsx';
import { ListControl } from './list-control.tsx';
import { MapControl } from './map-control.tsx';
import { SchemaControl } from './schema-control.tsx';
import { VariantControl } from './variant-control.tsx';
import { LoadedField } from '../loaded/loaded-field.tsx';

/** One field of an object: label, control, description and error. */
export function FieldRow({ field, fieldPath, value }: FieldProps) {
  const { errors } = useForm();
  const control = selectControl(field.schema, field.key);
  const problem = errors.get(formatFieldName(fieldPath)) ?? null;
  const frame = {
    title: field.label,
    description: field.description,
    isRequired: field.isRequired,
    fieldPath,
    value,
    error: problem,
  };
  switch (control.kind) {
    case 'list':
      return <ListControl {...frame} item={control.item} />;
    case 'map':
      return <MapControl {...frame} schema={control.value} />;
    case 'group':
      return <GroupControl {...frame} schema={field.schema} fields={control.fields} />;
    case 'variant':
      return <VariantControl {...frame} tag={control.tag} variants={control.variants} />;
    case 'condition':
      return <ConditionControl {...frame} />;
    case 'loaded':
      return <LoadedField field={field} fieldPath={fieldPath} value={value} of={control.of} />;
    case 'json-schema':
      return <JsonSchemaControl {...frame} field={field} />;
    default:
      return (
        <LabeledField
          label={field.label}
          hint={field.description}
          error={problem}
          isOptional={!field.isRequired && field.ui.required !== true && field.default === undefined}
          path={formatFieldName(fieldPath)}
        >
          {(tied) => (
            <SchemaControl
              control={control}
              fieldPath={fieldPath}
              value={value}
              id={tied.id}
              describedBy={tied['aria-describedby']}
              isInvalid={tied['aria-invalid'] === true}
              isRequired={field.isRequired}
              fallback={field.default}
              placeholder={field.ui.placeholder}
              labels={field.ui.labels}
            />
          )}
        </LabeledField>
      );
  }
}
