import { useState } from 'react';
import { definitionError } from '../canvas/state/definition-error.ts';
import type { Autosave } from '../canvas/state/autosave.ts';
import type { Editor } from '../canvas/state/editor.ts';
import { client } from '../data/client.ts';
import { toast } from '../ui/toast.tsx';
import type { DisplayedRun } from './displayed-run.ts';
import { nodeRunRequest } from './node-run-request.ts';
import type { Pins } from './pins.ts';
import { t } from '../i18n/index.ts';

/** Saves the workflow and runs one of its nodes. */
export function useNodeRun({
  editor,
  saver,
  nodeId,
  run,
  pins,
  onStarted,
}: {
  editor: Editor;
  saver: Autosave;
  nodeId: string;
  run: DisplayedRun | null;
  pins: Pins;
  onStarted: (executionId: string) => void;
}): { isBusy: boolean; start: () => void } {
  const [isBusy, setIsBusy] = useState(false);
  const start = async (): Promise<void> => {
    setIsBusy(true);
    try {
      if (!(await saver.flush())) return;
      const request = nodeRunRequest(editor.doc(), editor.catalogue, nodeId, run, pins.outputs.get());
      onStarted((await client.workflows.execute(saver.workflow.get().id, request)).id);
    } catch (error) {
      toast({
        tone: 'bad',
        title: t('Could not run the node'),
        text: definitionError(error, editor.doc(), editor.catalogue),
      });
    } finally {
      setIsBusy(false);
    }
  };
  return { isBusy, start: () => void start() };
}
