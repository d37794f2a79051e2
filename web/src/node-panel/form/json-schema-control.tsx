import { Plus, Trash2, Wand2 } from 'lucide-react';
import { Fragment, type CSSProperties } from 'react';
import { Button, IconButton } from '../../ui/button.tsx';
import { Field as LabeledField, Input, Select } from '../../ui/field.tsx';
import type { Field } from '../model/field.ts';
import {
  MAX_DEPTH,
  inferSchema,
  readSchemaFields,
  schemaTypes,
  writeSchemaFields,
  type SchemaField,
} from '../model/schema-fields.ts';
import { useForm } from './form-context.ts';
import { Section, type SectionProps } from './section.tsx';
import { ValueControl } from './scalar-controls.tsx';
import { t } from '../../i18n/index.ts';

/** A JSON Schema: a table of fields, or JSON if it says more than a table can. */
export function JsonSchemaControl({ field, ...frame }: SectionProps & { field: Field }) {
  const { change, scope } = useForm();
  const { fieldPath, value, isRequired } = frame;
  const fields = readSchemaFields(value);
  const inferred = inferSchema(scope.input);
  return (
    <Section
      {...frame}
      isSet={isRequired || value !== undefined}
      onAdd={() => change(fieldPath, writeSchemaFields([]))}
      onRemove={isRequired ? undefined : () => change(fieldPath, undefined)}
    >
      {fields === null ? (
        <LabeledField label={t('{{title}} as JSON', { title: field.label })}>
          {(tied) => (
            <ValueControl
              fieldPath={fieldPath}
              value={value}
              id={tied.id}
              describedBy={tied['aria-describedby']}
              isInvalid={frame.error !== null}
              isRequired={isRequired}
              placeholder={t('JSON Schema')}
            />
          )}
        </LabeledField>
      ) : (
        <FieldTable fields={fields} onChange={(next) => change(fieldPath, writeSchemaFields(next))} />
      )}
      <div className="schema-actions">
        {fields !== null && (
          <Button
            size="small"
            variant="quiet"
            icon={<Plus size={14} />}
            onClick={() => change(fieldPath, writeSchemaFields([...fields, createField(fields)]))}
          >
            {t('Add field')}
          </Button>
        )}
        {inferred !== null && (
          <Button size="small" icon={<Wand2 size={14} />} onClick={() => change(fieldPath, inferred)}>
            {t('Make from last data')}
          </Button>
        )}
      </div>
    </Section>
  );
}

function FieldTable({
  fields,
  onChange,
}: {
  fields: readonly SchemaField[];
  onChange: (fields: readonly SchemaField[]) => void;
}) {
  if (fields.length === 0) return <p className="field__hint">{t('No fields yet. Every object is valid.')}</p>;
  return (
    <div className="schema-fields">
      <span className="schema-fields__head">{t('Name')}</span>
      <span className="schema-fields__head">{t('Type')}</span>
      <span className="schema-fields__head" title={t('Required')} aria-hidden="true">
        *
      </span>
      <span />
      <FieldRows path={[]} fields={fields} onChange={onChange} />
    </div>
  );
}

/** The rows of an object's fields, each followed by those of its own fields. `path` numbers the object. */
function FieldRows({
  path,
  fields,
  onChange,
}: {
  path: readonly number[];
  fields: readonly SchemaField[];
  onChange: (fields: readonly SchemaField[]) => void;
}) {
  const put = (index: number, part: Partial<SchemaField>): void =>
    onChange(fields.map((field, i) => (i === index ? { ...field, ...part } : field)));
  return fields.map((field, index) => {
    const own = [...path, index + 1];
    return (
      <Fragment key={index}>
        <FieldCells
          path={own}
          field={field}
          isTaken={(next) => fields.some((other, i) => i !== index && other.name === next)}
          put={(part) => put(index, part)}
          remove={() => onChange(fields.filter((_, i) => i !== index))}
        />
        {field.type === 'object' && (
          <FieldRows path={own} fields={field.fields} onChange={(next) => put(index, { fields: next })} />
        )}
      </Fragment>
    );
  });
}

function FieldCells({
  path,
  field,
  isTaken,
  put,
  remove,
}: {
  path: readonly number[];
  field: SchemaField;
  isTaken: (name: string) => boolean;
  put: (part: Partial<SchemaField>) => void;
  remove: () => void;
}) {
  const { name, type, isRequired, fields } = field;
  const number = path.join('.');
  return (
    <>
      <div className="schema-fields__name" style={{ '--depth': path.length - 1 } as CSSProperties}>
        <Input
          className="input--mono"
          aria-label={t('Name of field {{number}}', { number })}
          value={name}
          spellCheck={false}
          onChange={({ target }) => {
            // Two fields with one name would become one.
            if (!isTaken(target.value)) put({ name: target.value });
          }}
        />
      </div>
      <Select
        aria-label={t('Type of field {{number}}', { number })}
        value={type}
        onChange={({ target }) => put({ type: target.value, fields: [] })}
      >
        <option value="">{t('any')}</option>
        {schemaTypes.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </Select>
      <input
        type="checkbox"
        aria-label={t('Field {{number}} is required', { number })}
        checked={isRequired}
        onChange={() => put({ isRequired: !isRequired })}
      />
      <div className="schema-fields__actions">
        {type === 'object' && path.length < MAX_DEPTH && (
          <IconButton
            size="small"
            icon={<Plus size={13} />}
            label={t('Add a field to {{name}}', { name })}
            onClick={() => put({ fields: [...fields, createField(fields)] })}
          />
        )}
        <IconButton
          size="small"
          icon={<Trash2 size={13} />}
          label={t('Remove field {{number}}', { number })}
          onClick={remove}
        />
      </div>
    </>
  );
}

function createField(fields: readonly SchemaField[]): SchemaField {
  let n = fields.length + 1;
  while (fields.some(({ name }) => name === `field${n}`)) n++;
  return { name: `field${n}`, type: 'string', isRequired: true, fields: [] };
}
