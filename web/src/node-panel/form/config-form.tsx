import { useId, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { CodeEditor } from '../../ui/code-editor.tsx';
import { Alert } from '../../ui/alert.tsx';
import { controlOf, fieldsOf, type Schema } from '../model/field.ts';
import { isRecord } from '../model/json-pointer.ts';
import { FieldRow } from './field-row.tsx';
import { useForm } from './form-context.ts';
import { VariantFields } from './variant-control.tsx';

/** What every node has, apart from what it is for. */
const COMMON = new Set(['retryPolicy', 'timeout']);

/** A configuration as the form of its schema. */
export function ConfigForm({
  schema,
  config,
}: {
  schema: Schema;
  config: Readonly<Record<string, unknown>>;
}) {
  const control = controlOf(schema);
  if (control.kind === 'variant')
    return (
      <VariantFields tag={control.tag} variants={control.variants} place={[]} value={config} label="Type" />
    );
  const fields = fieldsOf(schema);
  const own = fields.filter(({ key }) => !COMMON.has(key));
  const common = fields.filter(({ key }) => COMMON.has(key));
  const known = new Set(fields.map(({ key }) => key));
  const odd = Object.keys(config).filter((key) => !known.has(key));
  return (
    <>
      {own.length === 0 && <p className="panel__about">This node has no settings.</p>}
      {own.map((field) => (
        <FieldRow key={field.key} field={field} place={[field.key]} value={config[field.key]} />
      ))}
      {odd.map((key) => (
        <OddField key={key} name={key} />
      ))}
      {common.length > 0 && (
        <div className="panel__common">
          <h3 className="panel__subtitle">Error handling</h3>
          {common.map((field) => (
            <FieldRow key={field.key} field={field} place={[field.key]} value={config[field.key]} />
          ))}
        </div>
      )}
    </>
  );
}

/** A field that this version of the type does not have: said, and taken away when the person says so. */
function OddField({ name }: { name: string }) {
  const { change } = useForm();
  return (
    <Alert
      tone="warn"
      action={
        <Button size="small" onClick={() => change([name], undefined)}>
          Remove
        </Button>
      }
    >
      Unknown field <code>{name}</code>
    </Alert>
  );
}

/** The same as JSON, for who would rather write it. What is typed counts as soon as it is an object. */
export function ConfigJson({ config }: { config: Readonly<Record<string, unknown>> }) {
  const { change } = useForm();
  const id = useId();
  const [text, setText] = useState(() => JSON.stringify(config, null, 2));
  const [fault, setFault] = useState<string | null>(null);
  const edit = (next: string): void => {
    setText(next);
    try {
      const value: unknown = JSON.parse(next);
      if (!isRecord(value)) return setFault('must be a JSON object: {…}');
      setFault(null);
      change([], value);
    } catch (error) {
      setFault(error instanceof Error ? error.message : 'Not valid JSON');
    }
  };
  return (
    <div className="field">
      <CodeEditor
        id={id}
        describedBy={`${id}-fault`}
        label="Configuration as JSON"
        language="json"
        value={text}
        onChange={edit}
      />
      <p className={fault === null ? 'field__hint' : 'field__error'} id={`${id}-fault`}>
        {fault ?? 'Strings can contain templates.'}
      </p>
    </div>
  );
}
