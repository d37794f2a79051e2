import { useQuery } from '@tanstack/react-query';
import { Fragment, useState } from 'react';
import { Link } from 'wouter';
import type { Decision } from 'weft-client';
import { client } from '../../data/client.ts';
import { toFormError } from '../../data/error-text.ts';
import { useMutationWithToast } from '../../data/use-mutation-with-toast.ts';
import { Alert, ErrorAlert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { Field, TextArea } from '../../ui/field.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { Time } from '../../ui/time.tsx';
import { DecisionAttachments } from './decision-attachments.tsx';
import { DecisionFields, createInitialValues, toValues, type EnteredValues } from './decision-fields.tsx';
import { DecisionBadge, getChoiceLabel } from './decision-badge.tsx';
import { t, tElements } from '../../i18n/index.ts';

/** A decision with its message and responses, and the buttons that respond to it. */
export function DecisionDialog({
  id,
  initial,
  onClose,
}: {
  id: string;
  /** What the list knows until the decision is loaded. */
  initial: Decision | undefined;
  onClose: () => void;
}) {
  const [comment, setComment] = useState('');
  const [changed, setChanged] = useState<EnteredValues | null>(null);
  const {
    data: decision = initial,
    error,
    refetch,
  } = useQuery({
    queryKey: ['decisions', 'one', id],
    queryFn: ({ signal }) => client.decisions.get(id, { signal }),
  });
  const fields = decision?.fields ?? [];
  const entered = changed ?? createInitialValues(fields);
  const respond = useMutationWithToast(
    (choice: string) =>
      client.decisions.respond(id, {
        choice,
        ...(comment !== '' && { comment }),
        ...(fields.length > 0 && { values: toValues(fields, entered) }),
      }),
    { changes: [['decisions']], onDone: onClose },
  );
  if (decision === undefined)
    return (
      <Dialog isOpen onClose={onClose} title={t('Decision')}>
        {error !== null && <ErrorAlert error={error} onRetry={() => void refetch()} />}
      </Dialog>
    );
  // A form has its own page, on which files can be uploaded.
  const canRespondHere = decision.can_respond && decision.form_url === null;
  const formError = toFormError(
    respond.error,
    fields.map(({ name }) => `values.${name}`),
  );
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={decision.title}
      foot={
        decision.form_url !== null ? (
          <a className="button button--primary" href={decision.form_url} target="_blank" rel="noreferrer">
            {t('Open form')}
          </a>
        ) : decision.can_respond ? (
          <>
            {decision.choices.toReversed().map(({ name, label }) => (
              <Button
                key={name}
                variant={name === decision.choices[0]?.name ? 'primary' : 'plain'}
                disabled={respond.isPending}
                onClick={() => respond.mutate(name)}
              >
                {label}
              </Button>
            ))}
          </>
        ) : (
          <Button onClick={onClose}>{t('Close')}</Button>
        )
      }
    >
      <div className="decision">
        {formError !== null && <Alert tone="bad">{formError}</Alert>}
        {decision.message !== null && <Markdown text={decision.message} />}
        <DecisionAttachments decision={decision} />
        <dl className="fact-list">
          <dt>{t('Status')}</dt>
          <dd>
            <DecisionBadge decision={decision} />
          </dd>
          <dt>{t('Workflow')}</dt>
          <dd>
            <Link href={`/executions/${decision.execution_id}`}>{decision.workflow_name}</Link>
          </dd>
          <dt>{t('Asked')}</dt>
          <dd>
            <Time at={decision.created_at} />
          </dd>
          {decision.status === 'open' && (
            <>
              <dt>{t('Deadline')}</dt>
              <dd>
                <Time at={decision.deadline} />
              </dd>
            </>
          )}
        </dl>
        <Responses decision={decision} />
        {canRespondHere && (
          <DecisionFields fields={fields} entered={entered} error={respond.error} onChange={setChanged} />
        )}
        {canRespondHere && (
          <Field label={t('Comment')} isOptional>
            {(control) => (
              <TextArea
                {...control}
                rows={3}
                maxLength={5_000}
                value={comment}
                onChange={({ target }) => setComment(target.value)}
              />
            )}
          </Field>
        )}
      </div>
    </Dialog>
  );
}

function Responses({ decision }: { decision: Decision }) {
  const { assignees, policy, required } = decision;
  return (
    <section aria-label={t('People')}>
      {policy !== 'anyone' && (
        <p className="faint">
          {t('{{number}} of {{total}} must choose {{choice}}', {
            number: required,
            total: assignees.length,
            choice: getChoiceLabel(decision, decision.choices[0]?.name ?? ''),
          })}
        </p>
      )}
      <ul className="decision__people">
        {assignees.map((person) => (
          <li key={person.email}>
            <span className="truncate">{person.email}</span>
            {person.responded_at === null ? (
              <span className="faint">{t('No response yet')}</span>
            ) : (
              <span>
                {tElements('{{choice}}, {{time}}', {
                  choice: <strong>{getChoiceLabel(decision, person.choice)}</strong>,
                  time: <Time at={person.responded_at} />,
                })}
              </span>
            )}
            {person.comment !== null && <p className="decision__comment">{person.comment}</p>}
            {person.values !== null && <Values fields={decision.fields} values={person.values} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Values({
  fields,
  values,
}: {
  fields: Decision['fields'];
  values: Readonly<Record<string, unknown>>;
}) {
  const filled = fields.filter(({ name }) => values[name] !== undefined);
  if (filled.length === 0) return null;
  return (
    <dl className="fact-list decision__values">
      {filled.map(({ name, label }) => (
        <Fragment key={name}>
          <dt>{label}</dt>
          <dd>{toText(values[name])}</dd>
        </Fragment>
      ))}
    </dl>
  );
}

const isFile = (value: unknown): value is { $file: { name: string } } =>
  typeof value === 'object' && value !== null && '$file' in value;

function toText(value: unknown): string {
  if (typeof value === 'boolean') return value ? t('Yes') : t('No');
  if (isFile(value)) return value.$file.name;
  return Array.isArray(value) ? value.join(', ') : String(value);
}
