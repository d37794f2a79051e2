import { useMemo, useState } from 'react';
import { Select, Field as LabeledField } from '../ui/field.tsx';
import { FieldRow } from '../node-panel/form/field-row.tsx';
import { FieldSet } from '../node-panel/form/field-set.tsx';
import { FormProvider, useForm } from '../node-panel/form/form-context.ts';
import { listFields, createFilledObject, type Schema } from '../node-panel/model/field.ts';
import { isRecord } from '../node-panel/model/field-path.ts';
import {
  getApiKeyField,
  createPreset,
  findUsedMethod,
  findVariant,
  type AuthenticationMethod,
} from './authentication-methods.ts';
import { t } from '../i18n/index.ts';

/** The value of the option for a method that the document does not state. */
const OTHER_METHOD = ' other';

/** The authentication of an operation: a method of its document, or any method of `http_request`. */
export function AuthenticationField({
  methods,
  schema,
  config,
}: {
  methods: readonly AuthenticationMethod[];
  /** Of the configuration. */
  schema: Schema;
  config: Readonly<Record<string, unknown>>;
}) {
  const form = useForm();
  const [selectedId, setSelectedId] = useState<string | null>(null);
  const used = findUsedMethod(methods, config);
  const isOther = used === null && config['authentication'] !== undefined;
  const displayedId = selectedId ?? used?.id ?? (isOther ? OTHER_METHOD : (methods[0]?.id ?? OTHER_METHOD));
  const method = methods.find(({ id }) => id === displayedId);
  const choose = (id: string): void => {
    setSelectedId(id);
    const { apiKeys: _keys, authentication: _authentication, ...rest } = config;
    if (config['apiKeys'] !== undefined || config['authentication'] !== undefined) form.change([], rest);
  };
  const scopes = method?.schemes.flatMap((one) => one.scopes) ?? [];
  return (
    <>
      <LabeledField
        label={t('Authentication')}
        hint={scopes.length === 0 ? null : t('Needs the scopes {{scopes}}.', { scopes: scopes.join(', ') })}
        path="config.authentication"
      >
        {(tied) => (
          <Select {...tied} value={displayedId} onChange={({ target }) => choose(target.value)}>
            {methods.map(({ id, label }) => (
              <option key={id} value={id}>
                {label}
              </option>
            ))}
            <option value={OTHER_METHOD}>{t('Other or none')}</option>
          </Select>
        )}
      </LabeledField>
      {method === undefined ? (
        <FieldSet
          fields={listFields({ properties: pick(schema, 'authentication') })}
          object={config}
          fieldPath={[]}
        />
      ) : (
        method.schemes.map(({ scheme, scopes: needed }) => (
          <SchemeFields key={scheme.id} scheme={scheme} scopes={needed} schema={schema} config={config} />
        ))
      )}
    </>
  );
}

function SchemeFields({
  scheme,
  scopes,
  schema,
  config,
}: AuthenticationMethod['schemes'][number] & { schema: Schema; config: Readonly<Record<string, unknown>> }) {
  const form = useForm();
  const { change } = form;
  const key = getApiKeyField(scheme);
  const variant = findVariant(schema.properties?.['authentication'], scheme.kind);
  const isSet = isRecord(config['authentication']);
  const inner = useMemo(
    () => ({
      ...form,
      connectionPreset: createPreset(scheme, scopes),
      // The first field that is filled in also sets the type.
      change: ((fieldPath, value) => {
        const [, name] = fieldPath;
        if (isSet || variant === undefined || typeof name !== 'string') return change(fieldPath, value);
        change(['authentication'], { ...createFilledObject(variant), [name]: value });
      }) satisfies typeof change,
    }),
    [form, change, scheme, scopes, variant, isSet],
  );
  if (key !== null) {
    const properties = schema.properties?.['apiKeys']?.properties ?? {};
    const field = listFields({ properties }).find((one) => one.key === key);
    const value = isRecord(config['apiKeys']) ? config['apiKeys'][key] : undefined;
    return field === undefined ? null : <FieldRow field={field} fieldPath={['apiKeys', key]} value={value} />;
  }
  if (variant === undefined) return null;
  return (
    <FormProvider value={inner}>
      <FieldSet
        fields={listFields(variant).filter((field) => field.key !== 'type')}
        object={isRecord(config['authentication']) ? config['authentication'] : {}}
        fieldPath={['authentication']}
      />
    </FormProvider>
  );
}

function pick({ properties = {} }: Schema, name: string): Readonly<Record<string, Schema>> {
  const field = properties[name];
  return field === undefined ? {} : { [name]: field };
}
