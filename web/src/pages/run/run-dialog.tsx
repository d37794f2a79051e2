import { Play, Square } from 'lucide-react';
import { useState } from 'react';
import { isSettled, type Execution } from 'weft-client';
import { useMutationWithToast } from '../../data/use-mutation-with-toast.ts';
import { client } from '../../data/client.ts';
import { useExecution } from '../../data/execution.ts';
import { toErrorText } from '../../data/error-text.ts';
import { readInput } from '../../runs/read-input.ts';
import { loadInput, RecentRequests } from '../../runs/webhook/recent-requests.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { TextAreaField } from '../../ui/field.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { Alert } from '../../ui/alert.tsx';
import { ExecutionView } from './execution-view.tsx';
import { t, tElements } from '../../i18n/index.ts';

/** Runs a workflow with an input and shows its progress. */
export function RunDialog({
  workflow,
  onClose,
}: {
  workflow: { id: string; name: string };
  onClose: () => void;
}) {
  const [text, setText] = useState('{}');
  const [wrong, setWrong] = useState<string | null>(null);
  /** The execution whose request is the input. */
  const [request, setRequest] = useState<string | null>(null);
  const [id, setId] = useState<string | null>(null);
  const execution = useExecution(id);
  const execute = useMutationWithToast(
    (input: Record<string, unknown>): Promise<Execution> => client.workflows.execute(workflow.id, { input }),
    { changes: [['executions'], ['workflows', 'list']], onDone: (started) => setId(started.id) },
  );
  const stop = useMutationWithToast((running: string) => client.executions.stop(running), {
    changes: [['executions']],
    failed: t('Could not stop the execution'),
  });

  async function choose(next: string | null): Promise<void> {
    setRequest(next);
    try {
      setText(next === null ? '{}' : await loadInput(next));
    } catch (error) {
      setWrong(toErrorText(error));
    }
  }

  function run(): void {
    if (execute.isPending) return;
    const input = readInput(text);
    setWrong(typeof input === 'string' ? input : null);
    if (typeof input !== 'string') execute.mutate(input);
  }

  const { data } = execution;
  const isRunning = execute.isPending || (id !== null && !(data !== undefined && isSettled(data.status)));
  return (
    <Dialog
      isOpen
      size="wide"
      onClose={onClose}
      title={t('Run “{{name}}”', { name: workflow.name })}
      onSubmit={run}
      foot={
        <>
          <span className="grow faint row run__keys">
            {id === null && (
              <span>
                {tElements('{{keys}} to run', {
                  keys: (
                    <>
                      <Kbd>Ctrl</Kbd> <Kbd>Enter</Kbd>
                    </>
                  ),
                })}
              </span>
            )}
          </span>
          {id === null ? (
            <ButtonLink href={`/workflows/${workflow.id}`} onClick={onClose}>
              {t('Open in editor')}
            </ButtonLink>
          ) : (
            <ButtonLink href={`/executions/${id}`} onClick={onClose}>
              {t('Open execution')}
            </ButtonLink>
          )}
          {id !== null && isRunning ? (
            <Button icon={<Square size={13} />} isBusy={stop.isPending} onClick={() => stop.mutate(id)}>
              {t('Stop')}
            </Button>
          ) : (
            <Button type="submit" variant="primary" icon={<Play size={14} />} isBusy={isRunning}>
              {id === null ? t('Run') : t('Run again')}
            </Button>
          )}
        </>
      }
    >
      <div className="form">
        <RecentRequests workflowId={workflow.id} value={request} onChange={(next) => void choose(next)} />
        <TextAreaField
          label={t('Input')}
          className="input--mono"
          rows={3}
          spellCheck={false}
          value={text}
          error={wrong}
          hint={t('A JSON object that the trigger passes to the workflow. Drafts can run too.')}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            run();
          }}
        />
        {execute.error !== null && <Alert tone="bad">{toErrorText(execute.error)}</Alert>}
        {execution.error !== null && <Alert tone="bad">{toErrorText(execution.error)}</Alert>}
        {data !== undefined && <ExecutionView execution={data} />}
      </div>
    </Dialog>
  );
}
