import { useState } from 'react';
import { ValidationError, type NodeDetail } from 'weft-client';
import { useMutationWithToast } from '../../data/use-mutation-with-toast.ts';
import { client } from '../../data/client.ts';
import { toFieldError, toFormError } from '../../data/error-text.ts';
import { Button } from '../../ui/button.tsx';
import { CodeField } from '../../ui/code/code-field.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Alert } from '../../ui/alert.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { FieldRows } from './field-rows.tsx';
import { TestRun } from './test-run.tsx';
import { toRequestBody, createRegistration, type Registration } from './registration.ts';
import { t } from '../../i18n/index.ts';

/** The validation errors of one part of the form. */
function describeErrorsBelow(error: unknown, part: string): string | null {
  if (!(error instanceof ValidationError)) return null;
  const found = error.errors.filter(({ field }) => field === part || field.startsWith(`${part}.`));
  if (found.length === 0) return null;
  return found.map(({ field, issue }) => `${field.slice(part.length + 1)} ${issue}`.trim()).join('; ');
}

const FORM_FIELDS = ['nodeType', 'version', 'description'];
const CODE_FIELDS = ['inputs', 'outputs', 'implementation.handler', 'implementation.dependencies'];

/** Registers a node, or (`node`) a new version of one. */
export function RegisterDialog({ node, onClose }: { node: NodeDetail | null; onClose: () => void }) {
  const [form, setForm] = useState<Registration>(() => createRegistration(node));
  const [wrongPackages, setWrongPackages] = useState<string | null>(null);
  const change = (changes: Partial<Registration>): void => setForm({ ...form, ...changes });
  const register = useMutationWithToast(
    (body: ReturnType<typeof toRequestBody>) => client.nodes.register(body),
    {
      changes: [['nodes']],
      onDone: (made) => {
        onClose();
        toast({
          tone: 'good',
          title: t('{{id}} {{version}} created', { id: made.id, version: made.version }),
          text: t('It is now in the node palette.'),
        });
      },
    },
  );

  function submit(): void {
    try {
      setWrongPackages(null);
      register.mutate(toRequestBody(form));
    } catch (error) {
      setWrongPackages(error instanceof Error ? error.message : t('Not valid JSON'));
    }
  }

  const { error } = register;
  const shownElsewhere =
    error instanceof ValidationError
      ? error.errors
          .map(({ field }) => field)
          .filter(
            (field) =>
              FORM_FIELDS.includes(field) ||
              CODE_FIELDS.some((part) => field === part || field.startsWith(`${part}.`)),
          )
      : [];
  const problem = toFormError(error, shownElsewhere);
  return (
    <Dialog
      isOpen
      size="huge"
      onClose={onClose}
      title={node === null ? t('New custom node') : t('New version of {{id}}', { id: node.id })}
      description={t('Versions are immutable. Workflows keep using the version that they were saved with.')}
      onSubmit={submit}
      foot={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button type="submit" variant="primary" isBusy={register.isPending}>
            {t('Create')}
          </Button>
        </>
      }
    >
      <div className="register">
        {problem !== null && (
          <div className="register__whole">
            <Alert tone="bad">{problem}</Alert>
          </div>
        )}
        <div className="form">
          <div className="form__grid">
            <TextField
              label={t('Name')}
              className="input--mono"
              spellCheck={false}
              value={form.nodeType}
              disabled={node !== null}
              placeholder="count_words"
              hint={t('The type name that workflows refer to.')}
              error={toFieldError(error, 'nodeType')}
              onChange={(event) => change({ nodeType: event.target.value })}
            />
            <TextField
              label={t('Version')}
              className="input--mono"
              value={form.version}
              hint="major.minor.patch"
              error={toFieldError(error, 'version')}
              onChange={(event) => change({ version: event.target.value })}
            />
          </div>
          <TextField
            label={t('Description')}
            isOptional
            value={form.description}
            error={toFieldError(error, 'description')}
            onChange={(event) => change({ description: event.target.value })}
          />
          <FieldRows
            legend={t('Inputs')}
            hint={t('Shown as form fields in the editor. Values can be templates.')}
            hasRequired
            rows={form.inputs}
            error={describeErrorsBelow(error, 'inputs')}
            onChange={(inputs) => change({ inputs })}
          />
          <FieldRows
            legend={t('Outputs')}
            hint={t('The handler returns an object with these fields.')}
            hasRequired={false}
            rows={form.outputs}
            error={describeErrorsBelow(error, 'outputs')}
            onChange={(outputs) => change({ outputs })}
          />
        </div>
        <div className="form">
          <CodeField
            label={t('Handler')}
            language="javascript"
            value={form.handler}
            hint={t(
              'An ES module with a default export. It has no access to the network, the file system or the clock.',
            )}
            // An error of the code before its last change says nothing about it now.
            error={
              register.variables?.implementation.handler === form.handler
                ? describeErrorsBelow(error, 'implementation.handler')
                : null
            }
            onChange={(handler) => change({ handler })}
          />
          <details
            className="more"
            open={
              form.dependencies !== '' || describeErrorsBelow(error, 'implementation.dependencies') !== null
            }
          >
            <summary>{t('npm packages')}</summary>
            <CodeField
              label={t('Packages')}
              language="json"
              value={form.dependencies}
              hint={t('Packages by install path, with exact versions and integrity hashes: {{sample}}', {
                sample: '{"lodash": {"version": "4.17.21", "integrity": "sha512-…"}}',
              })}
              error={wrongPackages ?? describeErrorsBelow(error, 'implementation.dependencies')}
              onChange={(dependencies) => change({ dependencies })}
            />
          </details>
          <TestRun form={form} />
        </div>
      </div>
    </Dialog>
  );
}
