import {
  ChevronDown,
  FlaskConical,
  History,
  Play,
  Pin,
  SquareChevronRight,
  TextCursorInput,
} from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Entry } from '../canvas/model/document.ts';
import type { Autosave } from '../canvas/state/autosave.ts';
import { isRecord } from '../node-panel/model/field-path.ts';
import { client } from '../data/client.ts';
import { useCommands } from '../data/commands.ts';
import { takeRunWhenOpen } from '../data/run-request.ts';
import { useStore } from '../data/store.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { CodeEditor } from '../ui/code/code-editor.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { Menu, MenuItem, MenuSeparator } from '../ui/overlays/menu.tsx';
import { Alert } from '../ui/alert.tsx';
import { toast } from '../ui/overlays/toast.tsx';
import { toPinFields, type PinnedOutputs } from './pins/pinned-outputs.ts';
import type { Pins } from './pins/pins.ts';
import { readInput } from './read-input.ts';
import { findLastRequest, loadInput, RecentRequests } from './webhook/recent-requests.tsx';
import { createExampleInput } from './webhook/webhook-request.ts';
import { t, tPlural } from '../i18n/index.ts';

/** Saves and runs the workflow on the canvas, with the last or a new input, completely or up to a node. */
export function RunControls({
  workflowId,
  saver,
  pins,
  webhook,
  example,
  selectedNodeId,
  selectedTitle,
  onStarted,
  isNode,
  toErrorText,
}: {
  workflowId: string;
  saver: Autosave;
  pins: Pins;
  /** The only trigger, if it is a webhook. */
  webhook: Entry | null;
  /** What the only trigger passes to the workflow, if it is a trigger of a pack with an example. */
  example: Readonly<Record<string, unknown>> | null;
  /** The selected node. */
  selectedNodeId: string | null;
  selectedTitle: string;
  onStarted: (executionId: string) => void;
  /** Whether the workflow on the canvas contains the node. */
  isNode: (nodeId: string) => boolean;
  /** The validation errors of the workflow. */
  toErrorText: (error: unknown) => string;
}) {
  const [isBusy, setIsBusy] = useState(false);
  /** The open dialog for the input, and the node up to which it runs. */
  const [inputDialog, setInputDialog] = useState<{ until: string | null } | null>(null);
  const [text, setText] = useState('{}');
  const [isInputEdited, setIsInputEdited] = useState(false);
  /** The execution whose request `text` is. */
  const [request, setRequest] = useState<string | null>(null);
  const [wrong, setWrong] = useState<string | null>(null);
  const pinned = useStore(pins.outputs);

  /** Shows that the work is in progress, and why it failed. */
  async function attempt(work: () => Promise<void>): Promise<void> {
    setIsBusy(true);
    try {
      await work();
    } catch (error) {
      toast({ tone: 'bad', title: t('Could not start the workflow'), text: toErrorText(error) });
    } finally {
      setIsBusy(false);
    }
  }

  async function start(
    input: Record<string, unknown>,
    until: string | null,
    used: PinnedOutputs = pinned,
  ): Promise<void> {
    saver.reportIssues();
    if (!(await saver.flush())) return;
    // The output of a deleted node stays pinned, because the deletion can be undone.
    const given = new Map([...used].filter(([nodeId]) => isNode(nodeId)));
    const { id } = await client.workflows.execute(workflowId, {
      input,
      ...(until === null ? {} : { until }),
      ...toPinFields(given),
    });
    setInputDialog(null);
    onStarted(id);
  }

  /** With an input that the user chose, which replaces pinned test data of the webhook. */
  async function startWith(chosenText: string, until: string | null): Promise<void> {
    const input = readInput(chosenText);
    setWrong(typeof input === 'string' ? input : null);
    if (typeof input === 'string') return setInputDialog({ until });
    setIsInputEdited(true);
    await start(input, until, new Map([...pinned].filter(([id]) => id !== webhook?.id)));
  }

  const run = (until: string | null = null): Promise<void> =>
    attempt(async () => {
      const testData = webhook === null ? undefined : pinned.get(webhook.id)?.output;
      if (isRecord(testData)) await start(testData, until);
      else if ((webhook === null && example === null) || isInputEdited) await startWith(text, until);
      else await ask(until);
    });

  /**
   * Opens the dialog. The first input of a webhook is the last request, or an example before there is one;
   * that of a trigger of a pack is the example of the pack.
   */
  async function ask(until: string | null): Promise<void> {
    if (example !== null && !isInputEdited) setText(formatInput(example));
    if (webhook !== null && !isInputEdited) {
      const last = await findLastRequest(workflowId);
      setRequest(last?.id ?? null);
      setText(last?.input ?? formatInput(createExampleInput(webhook.config ?? {})));
    }
    setInputDialog({ until });
  }

  const runLast = (): Promise<void> =>
    attempt(async () => {
      const last = await findLastRequest(workflowId);
      if (last === null) {
        toast({
          tone: 'info',
          title: t('No request received yet'),
          text: t('Listen for a test event first.'),
        });
        return;
      }
      setRequest(last.id);
      setText(last.input);
      await startWith(last.input, null);
    });

  const choose = (id: string | null): void => {
    setRequest(id);
    if (id === null) setText('{}');
    else void attempt(async () => setText(await loadInput(id)));
  };

  useEffect(() => {
    if (takeRunWhenOpen(workflowId)) void attempt(() => start({}, null));
    // Once, when the page opens.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [workflowId]);

  useCommands(() => [
    {
      id: 'run',
      title: t('Run workflow'),
      detail: t('Run the workflow on the canvas'),
      group: t('This workflow'),
      icon: Play,
      words: t('execute start test', { context: 'keywords' }),
      run: () => void run(),
    },
  ]);

  return (
    <span className="run-controls">
      <Button icon={<Play size={14} />} isBusy={isBusy} onClick={() => void run()}>
        {t('Run')}
      </Button>
      <Menu
        trigger={
          <IconButton variant="plain" label={t('More run options')} icon={<ChevronDown size={14} />} />
        }
      >
        <MenuItem icon={<TextCursorInput size={15} />} onSelect={() => void attempt(() => ask(null))}>
          {t('Run with input…')}
        </MenuItem>
        {webhook !== null && (
          <MenuItem icon={<History size={15} />} onSelect={() => void runLast()}>
            {t('Run with the last request')}
          </MenuItem>
        )}
        {example !== null && (
          <MenuItem
            icon={<FlaskConical size={15} />}
            onSelect={() => void attempt(() => start(example, null))}
          >
            {t('Run with example')}
          </MenuItem>
        )}
        <MenuItem
          icon={<SquareChevronRight size={15} />}
          disabled={selectedNodeId === null}
          onSelect={() => void run(selectedNodeId)}
        >
          {selectedNodeId === null
            ? t('Run up to the selected node')
            : t('Run up to {{node}}', { node: selectedTitle })}
        </MenuItem>
        {pinned.size > 0 && (
          <>
            <MenuSeparator />
            <MenuItem icon={<Pin size={15} />} onSelect={() => void pins.unpinAll()}>
              {pinned.size === 1
                ? t('Unpin output')
                : tPlural(pinned.size, 'Unpin {{count}} output', 'Unpin {{count}} outputs')}
            </MenuItem>
          </>
        )}
      </Menu>
      {inputDialog !== null && (
        <Dialog
          isOpen
          title={t('Run with input')}
          onClose={() => setInputDialog(null)}
          onSubmit={() => void attempt(() => startWith(text, inputDialog.until))}
          foot={
            <>
              <span className="grow" />
              <Button onClick={() => setInputDialog(null)}>{t('Cancel')}</Button>
              <Button type="submit" variant="primary" icon={<Play size={14} />} isBusy={isBusy}>
                {t('Run')}
              </Button>
            </>
          }
        >
          <div className="form">
            {webhook !== null && <RecentRequests workflowId={workflowId} value={request} onChange={choose} />}
            <p className="field__hint">
              {t(
                'The JSON object that the trigger passes to the workflow. Run reuses it until you change it.',
              )}
            </p>
            <CodeEditor label={t('Input')} language="json" value={text} onChange={setText} />
            {wrong !== null && <Alert tone="bad">{wrong}</Alert>}
          </div>
        </Dialog>
      )}
    </span>
  );
}

const formatInput = (input: object): string => JSON.stringify(input, null, 2);
