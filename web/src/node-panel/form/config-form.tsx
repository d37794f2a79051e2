import { useId, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { CodeEditor } from '../../ui/code/code-editor.tsx';
import { Alert } from '../../ui/alert.tsx';
import { selectControl, listFields, type Field, type Schema } from '../model/field.ts';
import { isRecord } from '../model/field-path.ts';
import { GENERAL_GROUP } from '../model/general-group.ts';
import { FieldRow } from './field-row.tsx';
import { FieldSet } from './field-set.tsx';
import { useForm } from './form-context.ts';
import { VariantFields } from './variant-control.tsx';
import { t, tElements } from '../../i18n/index.ts';

/** A configuration as the form of its schema, without the settings that every node has. */
export function ConfigForm({
  schema,
  config,
}: {
  schema: Schema;
  config: Readonly<Record<string, unknown>>;
}) {
  const control = selectControl(schema);
  if (control.kind === 'variant')
    return (
      <VariantFields
        tag={control.tag}
        variants={control.variants}
        fieldPath={[]}
        value={config}
        label={t('Type')}
      />
    );
  const fields = listFields(schema);
  const knownKeys = new Set(fields.map(({ key }) => key));
  const unknown = Object.keys(config).filter((key) => !knownKeys.has(key));
  return (
    <>
      {fields.every(({ ui }) => ui.group === GENERAL_GROUP) && (
        <p className="panel__about">{t('This node has no settings.')}</p>
      )}
      <FieldSet fields={fields} object={config} fieldPath={[]} />
      {unknown.map((key) => (
        <OddField key={key} name={key} />
      ))}
    </>
  );
}

/** The fields of a configuration that every node has. */
export function SettingsFields({
  fields,
  config,
}: {
  fields: readonly Field[];
  config: Readonly<Record<string, unknown>>;
}) {
  return fields.map((field) => (
    <FieldRow key={field.key} field={field} fieldPath={[field.key]} value={config[field.key]} />
  ));
}

/** A field that this version of the type does not have, with a button that removes it. */
function OddField({ name }: { name: string }) {
  const { change } = useForm();
  return (
    <Alert
      tone="warn"
      action={
        <Button size="small" onClick={() => change([name], undefined)}>
          {t('Remove')}
        </Button>
      }
    >
      {tElements('Unknown field {{name}}', { name: <code>{name}</code> })}
    </Alert>
  );
}

/** The configuration as JSON. It is applied while it is a valid object. */
export function ConfigJson({ config }: { config: Readonly<Record<string, unknown>> }) {
  const { change } = useForm();
  const id = useId();
  const [text, setText] = useState(() => JSON.stringify(config, null, 2));
  const [problem, setProblem] = useState<string | null>(null);
  const edit = (next: string): void => {
    setText(next);
    try {
      const value: unknown = JSON.parse(next);
      if (!isRecord(value)) return setProblem(t('must be a JSON object: {…}'));
      setProblem(null);
      change([], value);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : t('Not valid JSON'));
    }
  };
  return (
    <div className="field">
      <CodeEditor
        id={id}
        describedBy={`${id}-error`}
        label={t('Configuration as JSON')}
        language="json"
        value={text}
        onChange={edit}
      />
      <p className={problem === null ? 'field__hint' : 'field__error'} id={`${id}-error`}>
        {problem ?? t('Strings can contain templates.')}
      </p>
    </div>
  );
}
