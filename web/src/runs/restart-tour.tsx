import { ShieldCheck, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { isSettled } from 'weft-client';
import { browserStorage } from '../data/browser-storage.ts';
import { client } from '../data/client.ts';
import { connection } from '../data/live/connection.ts';
import { toErrorText } from '../data/error-text.ts';
import { useStore } from '../data/store.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { toast } from '../ui/overlays/toast.tsx';
import type { RunSession } from './run-session.ts';
import { t } from '../i18n/index.ts';

const DISMISSED_KEY = 'weft.restart-tour.dismissed';
/** The input of the tour's workflow: long enough to stop the server and to start it again. */
const EXAMPLE_INPUT = { wait: '30s' };

type Tour = { readonly executionId: string; readonly wasDown: boolean };

/** The last step of the first tour: the user stops the server during a run, and sees the run continue. */
export function RestartTour({
  workflowId,
  session,
  onStarted,
}: {
  workflowId: string;
  session: RunSession;
  onStarted: (executionId: string) => void;
}) {
  const state = useStore(connection);
  const { run } = useStore(session.state);
  const [isDismissed, setIsDismissed] = useState(() => browserStorage.get(DISMISSED_KEY) !== null);
  const [isBusy, setIsBusy] = useState(false);
  const [tour, setTour] = useState<Tour | null>(null);
  const isRunning =
    tour !== null && (run?.execution.id !== tour.executionId || !isSettled(run.execution.status));

  useEffect(() => {
    if (state === 'lost' && isRunning) setTour((now) => (now === null ? null : { ...now, wasDown: true }));
  }, [state, isRunning]);

  const isFirstRunOver = run !== null && isSettled(run.execution.status);
  if (isDismissed || (tour === null && !isFirstRunOver)) return null;

  async function start(): Promise<void> {
    setIsBusy(true);
    try {
      const { id } = await client.workflows.execute(workflowId, { input: EXAMPLE_INPUT });
      setTour({ executionId: id, wasDown: false });
      onStarted(id);
    } catch (error) {
      toast({ tone: 'bad', title: t('Could not start the workflow'), text: toErrorText(error) });
    } finally {
      setIsBusy(false);
    }
  }
  const { title, text } = messageFor(tour, isRunning, state === 'lost');
  return (
    <aside className="restart-tour" aria-label={t('Restart tour')}>
      <ShieldCheck size={18} aria-hidden="true" className="restart-tour__icon" />
      <div className="restart-tour__text" role="status">
        <strong>{title}</strong> {text}
      </div>
      {!isRunning && tour?.wasDown !== true && (
        <Button size="small" variant="primary" isBusy={isBusy} onClick={() => void start()}>
          {tour === null ? t('Try it') : t('Try again')}
        </Button>
      )}
      <IconButton
        size="small"
        label={t('Close the restart tour')}
        icon={<X size={15} />}
        onClick={() => {
          browserStorage.set(DISMISSED_KEY, 'yes');
          setIsDismissed(true);
        }}
      />
    </aside>
  );
}

function messageFor(tour: Tour | null, isRunning: boolean, isDown: boolean): { title: string; text: string } {
  if (tour === null)
    return {
      title: t('Runs survive a crash.'),
      text: t('Start a run that waits for 30 seconds, stop the server, and start it again.'),
    };
  if (isRunning && isDown)
    return {
      title: t('The server is down.'),
      text: t('The run is on disk. Start the server again with the command that you used before.'),
    };
  if (isRunning && tour.wasDown)
    return {
      title: t('The server is back.'),
      text: t('The run continues at the step where it was. The steps before it do not run again.'),
    };
  if (isRunning)
    return {
      title: t('Stop the server now.'),
      text: t('Press Ctrl+C in its terminal, or kill the process. Then start it again.'),
    };
  if (tour.wasDown)
    return {
      title: t('The run finished.'),
      text: t('The server stopped in the middle, and every step ran exactly once.'),
    };
  return { title: t('The run finished before the server stopped.'), text: t('Try it again.') };
}
