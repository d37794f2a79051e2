import { Ear, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Listener } from 'weft-client';
import { client } from '../data/client.ts';
import { toErrorText } from '../data/error-text.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Alert } from '../ui/alert.tsx';

/** A one-shot test URL of a webhook trigger: a request to it runs the workflow on the canvas, even a draft. */
export function TestWebhook({
  workflowId,
  nodeId,
  save,
  onStarted,
}: {
  workflowId: string;
  nodeId: string;
  /** Saves the canvas first; false: it could not be saved. */
  save: () => Promise<boolean>;
  onStarted: (executionId: string) => void;
}) {
  const [listener, setListener] = useState<Listener | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);

  useEffect(() => {
    if (listener === null) return;
    const leaving = new AbortController();
    const wait = async (): Promise<void> => {
      for await (const { execution_id: id } of client.live.executions({
        workflowId,
        signal: leaving.signal,
      })) {
        setListener(null);
        onStarted(id);
        return;
      }
    };
    wait().catch((error: unknown) => {
      if (!leaving.signal.aborted) setFault(toErrorText(error));
    });
    const timer = setTimeout(
      () => setListener(null),
      Math.max(0, Date.parse(listener.expires_at) - Date.now()),
    );
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
  }, [listener, workflowId, onStarted]);

  const listen = async (): Promise<void> => {
    setIsBusy(true);
    setFault(null);
    try {
      if (await save()) setListener(await client.workflows.listen(workflowId, { node_id: nodeId }));
    } catch (error) {
      setFault(toErrorText(error));
    } finally {
      setIsBusy(false);
    }
  };

  return (
    <div className="test-address">
      {listener === null ? (
        <>
          <Button icon={<Ear size={14} />} isBusy={isBusy} onClick={() => void listen()}>
            Listen for test request
          </Button>
          <p className="field__hint">
            Opens a test URL for one request within two minutes. Works for drafts too.
          </p>
        </>
      ) : (
        <div role="status">
          <p className="test-address__head">
            <span className="spinner" aria-hidden="true" /> Waiting for {listener.method}
            <span className="grow" />
            <IconButton
              size="small"
              label="Stop listening"
              icon={<X size={14} />}
              onClick={() => setListener(null)}
            />
          </p>
          <p className="test-address__url">
            <code>{listener.url}</code>
            <CopyButton text={listener.url} label="Copy URL" />
          </p>
        </div>
      )}
      {fault !== null && <Alert tone="bad">{fault}</Alert>}
    </div>
  );
}
