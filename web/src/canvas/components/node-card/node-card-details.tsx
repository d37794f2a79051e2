import { Cable, CalendarClock, KeyRound, TriangleAlert } from 'lucide-react';
import { needsSignIn } from '../../../credentials/credential-state.ts';
import type { Credential } from '../../../credentials/credential.ts';
import { useConnectionChoices, useSecretChoices } from '../../../credentials/use-credentials.ts';
import { formatFullTime, useClock } from '../../../ui/time.tsx';
import { listCredentials } from '../../model/credentials.ts';
import type { Entry } from '../../model/document.ts';
import { formatNextRun } from '../../model/schedule-text.ts';
import { useCanvas, useStoreSelector } from '../canvas-context.ts';
import { t } from '../../../i18n/index.ts';

/** The optional third line of a card: the next run of a schedule, and the account that is used. */
export function CardDetails({ entry }: { entry: Entry }) {
  const { editor, nextRuns } = useCanvas();
  const next = useStoreSelector(nextRuns, (all) => all.get(entry.id));
  const credentials = listCredentials(entry, editor.catalog);
  if (next === undefined && credentials.length === 0) return null;
  return (
    <span className="step__details">
      {next !== undefined && <NextRun at={next} />}
      {credentials.length > 0 && <Credentials credentials={credentials} />}
    </span>
  );
}

/** `at`: in epoch ms. */
function NextRun({ at }: { at: number }) {
  const now = useClock();
  return (
    <time className="step__detail" dateTime={new Date(at).toISOString()} title={formatFullTime(at)}>
      <CalendarClock size={11} aria-hidden="true" />
      {formatNextRun(at - now)}
    </time>
  );
}

/** The name of the first credential, and a mark if one does not work. */
function Credentials({ credentials }: { credentials: readonly Credential[] }) {
  const secrets = useSecretChoices(credentials.some(({ kind }) => kind === 'secret'));
  const connections = useConnectionChoices(credentials.some(({ kind }) => kind === 'connection'));
  const findProblem = ({ kind, name }: Credential): string | null => {
    if (kind === 'secret')
      return secrets === undefined || secrets.some((one) => one.name === name) ? null : t('missing');
    const connection = connections?.find((one) => one.name === name);
    if (connection === undefined) return connections === undefined ? null : t('missing');
    return needsSignIn(connection)
      ? t('sign-in needed')
      : connection.status === 'failing'
        ? t('failing')
        : null;
  };
  const problem = credentials
    .map((one) => ({ one, text: findProblem(one) }))
    .find(({ text }) => text !== null);
  const { kind, name } = problem?.one ?? credentials[0]!;
  const Icon = problem !== undefined ? TriangleAlert : kind === 'secret' ? KeyRound : Cable;
  const title = credentials
    .map((one) => {
      const text = findProblem(one);
      const uses =
        one.kind === 'secret'
          ? t('Uses the secret {{name}}', { name: one.name })
          : t('Uses the connection {{name}}', { name: one.name });
      return text === null ? uses : `${uses} (${text})`;
    })
    .join('\n');
  return (
    <span
      className={problem === undefined ? 'step__detail' : 'step__detail step__detail--warn'}
      title={title}
    >
      <Icon size={11} aria-hidden="true" />
      <span className="visually-hidden">{t('Uses {{name}}', { name })}</span>
      <span className="step__account" aria-hidden="true">
        {name}
      </span>{' '}
      {problem !== undefined && <span className="step__problem">{problem.text}</span>}
      {credentials.length > 1 && <span className="step__problem">+ {credentials.length - 1}</span>}
    </span>
  );
}
