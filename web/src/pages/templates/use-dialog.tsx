import { useState } from 'react';
import { useLocation } from 'wouter';
import type { TemplateSummary } from 'weft-client';
import { useMutationWithToast } from '../../data/use-mutation-with-toast.ts';
import { client } from '../../data/client.ts';
import { toFieldError, toFormError } from '../../data/error-text.ts';
import { useSecretNames } from '../../data/lists.ts';
import { formatTemplateTitle } from '../../data/template-title.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { Alert } from '../../ui/alert.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { ParameterField, createInitialEntry, parseEntry, type Entry } from './parameter-field.tsx';
import { SecretField, type SecretEntry } from './secret-field.tsx';
import { t } from '../../i18n/index.ts';

/** Asks for the parameters of a template, stores new secrets, and creates the workflow. */
export function UseDialog({ template, onClose }: { template: TemplateSummary; onClose: () => void }) {
  const plain = template.parameters
    .filter(({ type }) => type !== 'secret')
    .toSorted((a, b) => Number(b.required) - Number(a.required));
  const secret = template.parameters.filter(({ type }) => type === 'secret');
  const [entries, setEntries] = useState<Readonly<Record<string, Entry>>>(() =>
    Object.fromEntries(plain.map((one) => [one.name, createInitialEntry(one)])),
  );
  const [secrets, setSecrets] = useState<Readonly<Record<string, SecretEntry>>>(() =>
    Object.fromEntries(
      secret.map((one) => [
        one.name,
        { name: typeof one.default === 'string' ? one.default : '', value: '' },
      ]),
    ),
  );
  const [wrong, setWrong] = useState<Readonly<Record<string, string>>>({});
  const [, navigate] = useLocation();
  const secretNames = useSecretNames();
  const names = new Set(secretNames.data ?? []);

  const make = useMutationWithToast(
    async (parameters: Record<string, unknown>) => {
      for (const { name, value } of Object.values(secrets)) {
        if (value !== '' && !names.has(name)) await client.secrets.put(name, { value });
      }
      return client.templates.instantiate(template.templateName, { parameters });
    },
    {
      changes: [['workflows'], ['secrets']],
      onDone: (workflow) => {
        toast({
          tone: 'good',
          title: t('“{{name}}” created', { name: workflow.name }),
          text: t('It is a draft until you activate it.'),
        });
        navigate(`/workflows/${workflow.id}`);
      },
    },
  );

  function submit(): void {
    const parameters: Record<string, unknown> = {};
    const errors: Record<string, string> = {};
    for (const parameter of plain) {
      try {
        const value = parseEntry(parameter, entries[parameter.name] ?? '');
        if (value !== undefined) parameters[parameter.name] = value;
        else if (parameter.required) errors[parameter.name] = t('is required');
      } catch (error) {
        errors[parameter.name] = error instanceof Error ? error.message : t('is not valid');
      }
    }
    for (const [name, entry] of Object.entries(secrets)) if (entry.name !== '') parameters[name] = entry.name;
    setWrong(errors);
    if (Object.keys(errors).length === 0) make.mutate(parameters);
  }

  const getFieldError = (name: string): string | null =>
    wrong[name] ?? toFieldError(make.error, `parameters.${name}`);
  const rest = toFormError(
    make.error,
    template.parameters.map(({ name }) => `parameters.${name}`),
  );
  return (
    <Dialog
      isOpen
      size="wide"
      onClose={onClose}
      title={formatTemplateTitle(template.templateName)}
      description={template.description}
      onSubmit={submit}
      foot={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button type="submit" variant="primary" isBusy={make.isPending}>
            {t('Create workflow')}
          </Button>
        </>
      }
    >
      <div className="form">
        {rest !== null && <Alert tone="bad">{rest}</Alert>}
        {plain.length > 0 && (
          <div className="form__grid">
            {plain.map((parameter) => (
              <ParameterField
                key={parameter.name}
                parameter={parameter}
                entry={entries[parameter.name] ?? ''}
                error={getFieldError(parameter.name)}
                onChange={(entry) => setEntries({ ...entries, [parameter.name]: entry })}
              />
            ))}
          </div>
        )}
        {secret.map((parameter) => (
          <SecretField
            key={parameter.name}
            parameter={parameter}
            entry={secrets[parameter.name] ?? { name: '', value: '' }}
            secretNames={names}
            error={getFieldError(parameter.name)}
            onChange={(entry) => setSecrets({ ...secrets, [parameter.name]: entry })}
          />
        ))}
      </div>
    </Dialog>
  );
}
