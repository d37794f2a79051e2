import { Braces, RefreshCw } from 'lucide-react';
import { useId } from 'react';
import { Alert } from '../../ui/alert.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { FieldSet } from '../form/field-set.tsx';
import { useForm, type FieldProps } from '../form/form-context.ts';
import { ValueControl } from '../form/scalar-controls.tsx';
import { formatLabel, listFields, type Schema } from '../model/field.ts';
import { formatFieldName, isRecord } from '../model/field-path.ts';
import type { ChoiceSource } from './choice-source.ts';
import { LoadState } from './load-state.tsx';
import { useChoices } from './use-choices.ts';
import { t, tElements } from '../../i18n/index.ts';

/** An object with fields loaded by the pack. Alternatively a template, or JSON while they are not loaded. */
export function LoadedFields({ field, fieldPath, value, source }: FieldProps & { source: ChoiceSource }) {
  const { change, errors } = useForm();
  const id = useId();
  const isText = typeof value === 'string' && value !== '';
  const choices = useChoices(source, field.key, field.ui.loads ?? [], { isEnabled: !isText });
  const { data, error, isLoading, isReady, blocked, reload } = choices;
  const schema = (data?.config_schema ?? null) as Schema | null;
  const canLoad = isReady && blocked === null;
  const isForm = !isText && canLoad && error === null;
  const problem = errors.get(formatFieldName(fieldPath)) ?? null;
  return (
    <section className="section" aria-labelledby={`${id}-title`} data-field={formatFieldName(fieldPath)}>
      <header className="section__head">
        <h3 className="loaded__title" id={`${id}-title`}>
          {field.label}
        </h3>
        <IconButton
          size="small"
          icon={<RefreshCw size={13} />}
          label={t('Reload {{name}}', { name: field.label })}
          isBusy={isLoading}
          disabled={!canLoad}
          onClick={reload}
        />
        <IconButton
          size="small"
          icon={<Braces size={14} />}
          label={isText ? t('Use fixed value') : t('Use template')}
          aria-pressed={isText}
          onClick={() => change(fieldPath, isText ? undefined : '{{ input }}')}
        />
      </header>
      {problem !== null && (
        <p className="field__error" role="alert">
          {problem}
        </p>
      )}
      <div className="section__body">
        {field.description !== null && <p className="field__hint">{field.description}</p>}
        <LoadState choices={choices} />
        {!isForm && (
          <ValueControl
            fieldPath={fieldPath}
            value={value === '' ? undefined : value}
            id={`${id}-value`}
            describedBy={`${id}-title`}
            isInvalid={problem !== null}
            isRequired={field.isRequired}
          />
        )}
        {isForm && schema === null && <Skeleton />}
        {isForm && schema !== null && (
          <Fields
            schema={schema}
            object={isRecord(value) ? value : {}}
            fieldPath={fieldPath}
            missing={choices.missing}
          />
        )}
      </div>
    </section>
  );
}

function Fields({
  schema,
  object,
  fieldPath,
  missing,
}: Pick<FieldProps, 'fieldPath'> & {
  schema: Schema;
  object: Readonly<Record<string, unknown>>;
  missing: readonly string[];
}) {
  const { change } = useForm();
  const fields = listFields(schema);
  const knownKeys = new Set(fields.map(({ key }) => key));
  const unknown = Object.keys(object).filter((key) => !knownKeys.has(key));
  return (
    <>
      {fields.length === 0 && (
        <p className="field__hint">
          {missing.length === 0
            ? t('There are no fields to fill in.')
            : t('The fields depend on: {{names}}', { names: missing.map(formatLabel).join(', ') })}
        </p>
      )}
      <FieldSet fields={fields} object={object} fieldPath={fieldPath} />
      {unknown.map((key) => (
        <Alert
          key={key}
          tone="warn"
          action={
            <Button size="small" onClick={() => change([...fieldPath, key], undefined)}>
              {t('Remove')}
            </Button>
          }
        >
          {tElements('Unknown field {{name}}', { name: <code>{key}</code> })}
        </Alert>
      ))}
    </>
  );
}
