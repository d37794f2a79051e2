import { useState } from 'react';
import type { Execution, ExecutionDetail, NodeRun } from 'weft-client';
import { useMutationWithToast } from '../data/use-mutation-with-toast.ts';
import { client } from '../data/client.ts';
import { toErrorText, toFieldError } from '../data/error-text.ts';
import { Button } from '../ui/button.tsx';
import { CodeEditor } from '../ui/code/code-editor.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { Checkbox, SelectField } from '../ui/field.tsx';
import { Alert } from '../ui/alert.tsx';
import { readInput } from './read-input.ts';
import { t } from '../i18n/index.ts';

type Retry = { from: string; version: 'original' | 'current'; input: Record<string, unknown> | null };

/** Retries an execution from failed nodes, the start, a node or a place in a body; the input can be new. */
export function RetryDialog({
  execution,
  preferredNode,
  place,
  defaultVersion = 'original',
  getTitle,
  errorText = toErrorText,
  onClose,
  onStarted,
}: {
  execution: ExecutionDetail;
  /** The node that is selected; preselected when the execution has no failed node and the node ran in it. */
  preferredNode?: string | undefined;
  /** The path of a node run in a body, which is preselected. */
  place?: string | undefined;
  defaultVersion?: Retry['version'] | undefined;
  /** Formats an error of the request; the editor replaces positions in the definition by names of nodes. */
  errorText?: ((error: unknown) => string) | undefined;
  getTitle: (nodeId: string) => string;
  onClose: () => void;
  onStarted: (started: Execution) => void;
}) {
  const hasFailed = execution.nodes.some(({ status }) => status === 'failed');
  const ids = [
    ...new Set(execution.nodes.filter(({ start_time }) => start_time !== null).map(({ node_id }) => node_id)),
  ];
  const bodies = place === undefined ? [] : listBodies(place);
  const [from, setFrom] = useState(() => {
    if (place !== undefined) return place;
    if (hasFailed) return 'failed';
    return preferredNode !== undefined && ids.includes(preferredNode) ? preferredNode : 'start';
  });
  const [version, setVersion] = useState<Retry['version']>(defaultVersion);
  const [isEdited, setIsEdited] = useState(false);
  const [text, setText] = useState('');
  const [wrong, setWrong] = useState<string | null>(null);
  const isOfNode = from !== 'failed' && from !== 'start';
  const hasInput = from !== 'failed' && !bodies.includes(from);

  const retry = useMutationWithToast(
    ({ input, ...rest }: Retry) =>
      client.executions.retry(execution.id, { ...rest, ...(input === null ? {} : { input }) }),
    {
      changes: [['executions'], ['execution-page', execution.id]],
      onDone: (started) => {
        onStarted(started);
        onClose();
      },
    },
  );

  function go(): void {
    const input = isEdited && hasInput ? readInput(text) : null;
    setWrong(typeof input === 'string' ? input : null);
    if (typeof input !== 'string') retry.mutate({ from, version, input });
  }

  const choose = (next: string): void => {
    setFrom(next);
    setText(JSON.stringify(formatInput(execution, next), null, 2));
  };

  return (
    <Dialog
      isOpen
      title={t('Retry')}
      onClose={onClose}
      onSubmit={go}
      foot={
        <>
          <span className="grow" />
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button type="submit" variant="primary" isBusy={retry.isPending}>
            {t('Retry')}
          </Button>
        </>
      }
    >
      <div className="form">
        <SelectField
          label={t('From')}
          hint={
            from === 'failed'
              ? t('Failed nodes and all nodes after them run again. Completed nodes keep their output.')
              : from === 'start'
                ? t('All nodes run again.')
                : from === place || bodies.includes(from)
                  ? t(
                      'This part and what depends on it run again. Other iterations, turns and tool calls keep their output.',
                    )
                  : t('This node and all nodes after it run again. Earlier nodes keep their output.')
          }
          error={toFieldError(retry.error, 'from')}
          value={from}
          onChange={({ target }) => choose(target.value)}
        >
          {hasFailed && <option value="failed">{t('Failed nodes')}</option>}
          <option value="start">{t('Start', { context: 'noun' })}</option>
          {place !== undefined && (
            <option value={place}>
              {t('{{node}} in {{place}}', {
                node: getTitle(place.slice(place.lastIndexOf('/') + 1)),
                place: bodies[0] ?? '',
              })}
            </option>
          )}
          {bodies.map((body) => (
            <option key={body} value={body}>
              {t('All nodes in {{place}}', { place: body })}
            </option>
          ))}
          {ids.map((id) => (
            <option key={id} value={id}>
              {getTitle(id)}
            </option>
          ))}
        </SelectField>
        <SelectField
          label={t('Workflow version')}
          hint={
            execution.workflow_version < 0
              ? t('The execution was a test of an unsaved workflow.')
              : t('The execution ran on version {{version}}.', { version: execution.workflow_version })
          }
          value={version}
          onChange={({ target }) => setVersion(target.value as Retry['version'])}
        >
          <option value="original">{t('Original version')}</option>
          <option value="current">{t('Latest version')}</option>
        </SelectField>
        {hasInput && (
          <Checkbox
            label={t('Change the input')}
            hint={isOfNode ? t('The input of the selected node.') : t('The input of the workflow.')}
            checked={isEdited}
            onChange={({ target }) => {
              setIsEdited(target.checked);
              if (text === '') setText(JSON.stringify(formatInput(execution, from), null, 2));
            }}
          />
        )}
        {isEdited && hasInput && (
          <CodeEditor label={t('Input')} language="json" value={text} onChange={setText} />
        )}
        {wrong !== null && <Alert tone="bad">{wrong}</Alert>}
        {retry.error !== null && toFieldError(retry.error, 'from') === null && (
          <Alert tone="bad">{errorText(retry.error)}</Alert>
        )}
      </div>
    </Dialog>
  );
}

function formatInput(execution: ExecutionDetail, from: string): unknown {
  if (from === 'start' || from === 'failed') return execution.input ?? {};
  const isIt = (run: NodeRun): boolean =>
    run.path === from || (run.node_id === from && run.start_time !== null);
  return execution.nodes.findLast(isIt)?.input ?? {};
}

/** The runs of bodies around a node run, innermost first: `outer[1]/inner[2]`, then `outer[1]`. */
function listBodies(path: string): string[] {
  const bodies: string[] = [];
  for (let at = path.lastIndexOf(']/'); at > 0; at = path.lastIndexOf(']/', at - 1))
    bodies.push(path.slice(0, at + 1));
  return bodies;
}
