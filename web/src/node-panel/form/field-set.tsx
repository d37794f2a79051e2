import { Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Menu, MenuItem } from '../../ui/overlays/menu.tsx';
import { createEmptyValue, type Field } from '../model/field.ts';
import { createAddedValue, countSet, arrangeFields } from '../model/form-layout.ts';
import { formatFieldName, type FieldPath } from '../model/field-path.ts';
import { GENERAL_GROUP } from '../model/general-group.ts';
import { Fold } from './fold.tsx';
import { useForm } from './form-context.ts';
import { AccountControl } from './credential-controls.tsx';
import { ScheduleControl } from './schedule-control.tsx';
import { t } from '../../i18n/index.ts';

/** The other fields that a control edits together with its own. */
const FIELDS_EDITED_TOGETHER: Readonly<Record<string, readonly string[]>> = {
  schedule: ['interval', 'timezone'],
  account: ['connection'],
};

/** The fields of an object: the important ones, sections, and a menu that adds the others. */
export function FieldSet({
  fields: all,
  object,
  fieldPath,
}: {
  fields: readonly Field[];
  object: Readonly<Record<string, unknown>>;
  fieldPath: FieldPath;
}) {
  const { change, errors } = useForm();
  const [added, setAdded] = useState<ReadonlySet<string>>(new Set());
  const body = useRef<HTMLDivElement>(null);
  const edited = new Set(all.flatMap(({ ui }) => FIELDS_EDITED_TOGETHER[ui.control ?? ''] ?? []));
  const fields = all.filter(({ key }) => !edited.has(key));
  const invalid = fields
    .map(({ key }) => key)
    .filter((key) => {
      const name = formatFieldName([...fieldPath, key]);
      return [...errors.keys()].some(
        (field) => field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`),
      );
    });
  const { main, groups, options } = arrangeFields(fields, object, new Set([...added, ...invalid]));
  const add = (field: Field): void => {
    const value = createAddedValue(field, createEmptyValue);
    if (value !== undefined) change([...fieldPath, field.key], value);
    setAdded(new Set([...added, field.key]));
    // The menu returns the focus to its button first.
    setTimeout(() => {
      const row = body.current?.querySelector(`[data-field="${CSS.escape(field.key)}"]`);
      row?.scrollIntoView({ block: 'nearest' });
      row?.querySelector<HTMLElement>('input, select, textarea, .section__toggle')?.focus();
    });
  };
  const draw = (field: Field) => (
    <div key={field.key} className="form-field" data-field={field.key}>
      <OneField field={field} object={object} fieldPath={fieldPath} />
    </div>
  );
  return (
    <div className="field-set" ref={body}>
      {main.map(draw)}
      {groups
        .filter(({ title }) => title !== GENERAL_GROUP)
        .map(({ title, fields: inside }) => (
          <Fold key={title} title={title} count={countSet(inside, object)}>
            {inside.map(draw)}
          </Fold>
        ))}
      {options.length > 0 && (
        <Menu
          align="start"
          trigger={
            <Button size="small" variant="quiet" icon={<Plus size={14} />}>
              {t('Add option')}
            </Button>
          }
        >
          {options.map((field) => (
            <MenuItem key={field.key} onSelect={() => add(field)}>
              {field.label}
            </MenuItem>
          ))}
        </Menu>
      )}
    </div>
  );
}

function OneField({
  field,
  object,
  fieldPath,
}: {
  field: Field;
  object: Readonly<Record<string, unknown>>;
  fieldPath: FieldPath;
}) {
  const { Row } = useForm();
  if (field.ui.control === 'schedule') return <ScheduleControl fieldPath={fieldPath} object={object} />;
  if (field.ui.control === 'account')
    return <AccountControl field={field} fieldPath={fieldPath} object={object} />;
  return <Row field={field} fieldPath={[...fieldPath, field.key]} value={object[field.key]} />;
}
