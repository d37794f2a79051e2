import { ChevronDown, Play, Pin, SquareChevronRight, TextCursorInput } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Autosave } from '../canvas/state/autosave.ts';
import { client } from '../data/client.ts';
import { useCommands } from '../data/commands.ts';
import { takeRunWhenOpen } from '../data/run-request.ts';
import { useStore } from '../data/store.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { CodeEditor } from '../ui/code-editor.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Menu, MenuItem, MenuSeparator } from '../ui/menu.tsx';
import { Alert } from '../ui/alert.tsx';
import { toast } from '../ui/toast.tsx';
import type { Pins } from './pins.ts';
import { readInput } from './read-input.ts';

/** Saves and runs the workflow on the canvas, with the last or a new input, completely or up to a node. */
export function RunControls({
  workflowId,
  saver,
  pins,
  chosen,
  chosenTitle,
  onStarted,
  faultOf,
}: {
  workflowId: string;
  saver: Autosave;
  pins: Pins;
  /** The selected node. */
  chosen: string | null;
  chosenTitle: string;
  onStarted: (executionId: string) => void;
  /** The validation errors of the workflow. */
  faultOf: (error: unknown) => string;
}) {
  const [isBusy, setIsBusy] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  const [text, setText] = useState('{}');
  const [wrong, setWrong] = useState<string | null>(null);
  const pinned = useStore(pins.outputs);

  async function run(until: string | null = null): Promise<void> {
    const input = readInput(text);
    if (typeof input === 'string') {
      setWrong(input);
      setIsAsking(true);
      return;
    }
    setWrong(null);
    setIsBusy(true);
    try {
      if (!(await saver.flush())) return;
      const { id } = await client.workflows.execute(workflowId, {
        input,
        ...(until === null ? {} : { until }),
        ...(pinned.size === 0 ? {} : { pins: Object.fromEntries(pinned) }),
      });
      setIsAsking(false);
      onStarted(id);
    } catch (error) {
      toast({ tone: 'bad', title: 'Could not start the workflow', text: faultOf(error) });
    } finally {
      setIsBusy(false);
    }
  }

  useEffect(() => {
    if (takeRunWhenOpen(workflowId)) void run();
    // Once, when the page opens.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [workflowId]);

  useCommands(() => [
    {
      id: 'run',
      title: 'Run workflow',
      detail: 'Run the workflow on the canvas',
      group: 'This workflow',
      icon: Play,
      words: 'execute start test',
      run: () => void run(),
    },
  ]);

  return (
    <span className="run-controls">
      <Button icon={<Play size={14} />} isBusy={isBusy} onClick={() => void run()}>
        Run
      </Button>
      <Menu trigger={<IconButton look="plain" label="More run options" icon={<ChevronDown size={14} />} />}>
        <MenuItem icon={<TextCursorInput size={15} />} onSelect={() => setIsAsking(true)}>
          Run with input…
        </MenuItem>
        <MenuItem
          icon={<SquareChevronRight size={15} />}
          disabled={chosen === null}
          onSelect={() => void run(chosen)}
        >
          {chosen === null ? 'Run up to the selected node' : `Run up to ${chosenTitle}`}
        </MenuItem>
        {pinned.size > 0 && (
          <>
            <MenuSeparator />
            <MenuItem icon={<Pin size={15} />} onSelect={() => pins.unpinAll()}>
              {pinned.size === 1 ? 'Unpin output' : `Unpin ${pinned.size} outputs`}
            </MenuItem>
          </>
        )}
      </Menu>
      {isAsking && (
        <Dialog
          isOpen
          title="Run with input"
          onClose={() => setIsAsking(false)}
          onSubmit={() => void run()}
          foot={
            <>
              <span className="grow" />
              <Button onClick={() => setIsAsking(false)}>Cancel</Button>
              <Button type="submit" look="primary" icon={<Play size={14} />} isBusy={isBusy}>
                Run
              </Button>
            </>
          }
        >
          <div className="form">
            <p className="field__hint">
              The JSON object that the trigger passes to the workflow. Run reuses it until you change it.
            </p>
            <CodeEditor label="Input" language="json" value={text} onChange={setText} />
            {wrong !== null && <Alert tone="bad">{wrong}</Alert>}
          </div>
        </Dialog>
      )}
    </span>
  );
}
