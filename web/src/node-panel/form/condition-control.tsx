import { Group, Plus, Trash2 } from 'lucide-react';
import { Button, IconButton } from '../../ui/button.tsx';
import { Field, Select } from '../../ui/field.tsx';
import {
  emptyLeaf,
  operators,
  readCondition,
  convertGroup,
  takesValue,
  withOperator,
  type Condition,
  type Leaf,
} from '../model/condition.ts';
import { formatFieldName, type FieldPath } from '../model/field-path.ts';
import { useForm } from './form-context.ts';
import { Section, type SectionProps } from './section.tsx';
import { TextControl, ValueControl } from './scalar-controls.tsx';
import { t } from '../../i18n/index.ts';

const KINDS = [
  ['leaf', t('Single condition')],
  ['all', t('All of (AND)')],
  ['any', t('Any of (OR)')],
  ['not', t('Not')],
] as const;

/** A condition, or a group of them, of any depth. */
export function ConditionControl(frame: SectionProps) {
  const { change } = useForm();
  const { fieldPath, value, isRequired } = frame;
  return (
    <Section
      {...frame}
      // A missing condition is reported at its field.
      error={value === undefined ? null : frame.error}
      isSet={isRequired || value !== undefined}
      onAdd={() => change(fieldPath, emptyLeaf)}
      onRemove={isRequired ? undefined : () => change(fieldPath, undefined)}
    >
      <ConditionPart fieldPath={fieldPath} value={value} label={t('Match')} isRoot />
    </Section>
  );
}

/** `label` null: the condition is in a group and needs no label. */
function ConditionPart({
  fieldPath,
  value,
  label,
  isRoot = false,
}: {
  fieldPath: FieldPath;
  value: unknown;
  label: string | null;
  /** The section shows the error of the condition. */
  isRoot?: boolean;
}) {
  const { change, errors } = useForm();
  const condition = readCondition(value);
  const kind =
    label === null && condition.kind === 'leaf' ? null : (
      <Field label={label ?? t('Group')} error={isRoot ? null : errors.get(formatFieldName(fieldPath))}>
        {(tied) => (
          <Select
            {...tied}
            value={condition.kind}
            onChange={({ target }) =>
              change(fieldPath, convertGroup(value, target.value as Condition['kind']))
            }
          >
            {KINDS.map(([each, words]) => (
              <option key={each} value={each}>
                {words}
              </option>
            ))}
          </Select>
        )}
      </Field>
    );
  return (
    <div className="condition">
      {kind}
      {condition.kind === 'leaf' ? (
        <LeafFields
          fieldPath={fieldPath}
          leaf={condition}
          missing={value === undefined ? (errors.get(formatFieldName(fieldPath)) ?? null) : null}
        />
      ) : (
        <div className="condition__parts">
          {condition.kind === 'not' ? (
            <ConditionPart
              fieldPath={[...fieldPath, 'not']}
              value={condition.part}
              label={t('Negated condition')}
            />
          ) : (
            <GroupParts fieldPath={[...fieldPath, condition.kind]} parts={condition.parts} />
          )}
        </div>
      )}
    </div>
  );
}

function GroupParts({ fieldPath, parts }: { fieldPath: FieldPath; parts: readonly unknown[] }) {
  const { change } = useForm();
  return (
    <>
      {parts.map((part, index) => (
        <div className="item" key={index}>
          <div className="item__field">
            <ConditionPart fieldPath={[...fieldPath, index]} value={part} label={null} />
          </div>
          <div className="item__tools item__tools--column">
            <IconButton
              size="small"
              icon={<Trash2 size={13} />}
              label={t('Remove condition {{number}}', { number: index + 1 })}
              onClick={() => change([...fieldPath, index], undefined)}
            />
            {readCondition(part).kind === 'leaf' && (
              <IconButton
                size="small"
                icon={<Group size={13} />}
                label={t('Convert condition {{number}} to a group', { number: index + 1 })}
                onClick={() => change([...fieldPath, index], convertGroup(part, 'any'))}
              />
            )}
          </div>
        </div>
      ))}
      <Button
        size="small"
        variant="quiet"
        icon={<Plus size={14} />}
        onClick={() => change([...fieldPath, parts.length], emptyLeaf)}
      >
        {t('Add condition')}
      </Button>
    </>
  );
}

function LeafFields({
  fieldPath,
  leaf,
  missing,
}: {
  fieldPath: FieldPath;
  leaf: Leaf;
  /** The error of a condition that is not there. */
  missing: string | null;
}) {
  const { change, errors } = useForm();
  const bind = (key: string) => ({
    fieldPath: [...fieldPath, key],
    error: errors.get(formatFieldName([...fieldPath, key])) ?? null,
  });
  const field = bind('field');
  const operator = bind('operator');
  const value = bind('value');
  return (
    <>
      <Field
        label={t('Field')}
        hint={
          leaf.field.includes('{{')
            ? t('Only a field of the input can be compared. Use other templates in Value.')
            : undefined
        }
        error={leaf.field === '' && field.error !== null ? t('is required') : (field.error ?? missing)}
      >
        {(tied) => (
          <TextControl
            fieldPath={field.fieldPath}
            value={leaf.field}
            id={tied.id}
            describedBy={tied['aria-describedby']}
            isInvalid={tied['aria-invalid'] === true}
            isRequired
            isLong={false}
            isPath
          />
        )}
      </Field>
      <Field label={t('Operator')} error={operator.error}>
        {(tied) => (
          <Select
            {...tied}
            value={leaf.operator}
            onChange={({ target }) => change(fieldPath, withOperator(leaf, target.value))}
          >
            {operators.map(([name, words]) => (
              <option key={name} value={name}>
                {words}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {takesValue(leaf.operator) && (
        <Field label={t('Value')} error={value.error}>
          {(tied) => (
            <ValueControl
              isLong={false}
              fieldPath={value.fieldPath}
              value={leaf.value}
              id={tied.id}
              describedBy={tied['aria-describedby']}
              isInvalid={value.error !== null}
              isRequired
            />
          )}
        </Field>
      )}
    </>
  );
}
