import {
  Braces,
  ChartColumn,
  ChevronDown,
  ChevronLeft,
  Coins,
  Copy,
  Ellipsis,
  History,
  Keyboard,
  ListVideo,
  PowerOff,
  Redo2,
  Rocket,
  Shapes,
  Undo2,
} from 'lucide-react';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { useCommands } from '../../data/commands.ts';
import { downloadJson, toFileName } from '../../data/download.ts';
import { toErrorText } from '../../data/error-text.ts';
import { useStore } from '../../data/store.ts';
import { useDuplicateWorkflow } from '../../data/workflows/workflow-actions.ts';
import { toWorkflowFile } from '../../data/workflows/workflow-file.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../ui/overlays/menu.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { publish } from '../state/publish.ts';
import type { Autosave } from '../state/autosave.ts';
import { toDefinition } from '../model/document.ts';
import { useStoreSelector } from '../components/canvas-context.ts';
import { BudgetDialog } from './budget-dialog.tsx';
import { SaveStatus } from './save-status.tsx';
import type { EditorSession } from './editor-session.ts';
import { t } from '../../i18n/index.ts';

/** The name and status of the workflow, and its actions. `run` is the run button. */
export function EditorHeader({ session, run }: { session: EditorSession; run: ReactNode }) {
  const { editor, saver, ui } = session;
  const workflow = useStore(saver.workflow);
  const canUndo = useStoreSelector(editor.history, ({ past }) => past.length > 0);
  const canRedo = useStoreSelector(editor.history, ({ future }) => future.length > 0);
  return (
    <header className="editor__head">
      <Link
        href="/workflows"
        className="editor__back"
        aria-label={t('Back to workflows')}
        title={t('Workflows')}
      >
        <ChevronLeft size={17} aria-hidden="true" />
      </Link>
      <WorkflowName saver={saver} />
      <StatusBadge status={workflow.status} />
      <SaveStatus saver={saver} onChoose={() => ui.show({ isChoosing: true })} />
      <span className="editor__space" />
      <div className="editor__group">
        <IconButton
          label={t('Node palette (P)')}
          icon={<Shapes size={16} />}
          onClick={() => ui.show({ isPaletteOpen: !ui.get().isPaletteOpen })}
        />
        <IconButton
          label={t('Undo (Ctrl+Z)')}
          icon={<Undo2 size={16} />}
          disabled={!canUndo}
          onClick={editor.undo}
        />
        <IconButton
          label={t('Redo (Ctrl+Shift+Z)')}
          icon={<Redo2 size={16} />}
          disabled={!canRedo}
          onClick={editor.redo}
        />
        <IconButton
          label={t('Version history')}
          icon={<History size={16} />}
          onClick={() => ui.show({ isHistoryOpen: true })}
        />
      </div>
      <div className="editor__group">
        {run}
        <GoLive session={session} />
        <More session={session} />
      </div>
    </header>
  );
}

function WorkflowName({ saver }: { saver: Autosave }) {
  const { name } = useStore(saver.workflow);
  const [text, setText] = useState<string | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  useEffect(() => {
    if (text === null && wasOpen.current) button.current?.focus();
    wasOpen.current = text !== null;
  }, [text]);
  const keep = async (): Promise<void> => {
    const next = (text ?? '').trim();
    setText(null);
    if (next === '' || next === name) return;
    await attempt(t('Could not rename the workflow'), () => saver.update({ name: next }));
  };
  if (text === null)
    return (
      <button
        ref={button}
        type="button"
        className="editor__name"
        title={t('Rename workflow')}
        onClick={() => setText(name)}
      >
        {name}
      </button>
    );
  return (
    <input
      autoFocus
      className="editor__name editor__name--input"
      aria-label={t('Workflow name')}
      value={text}
      maxLength={200}
      onChange={({ target }) => setText(target.value)}
      onBlur={() => void keep()}
      onKeyDown={({ key }) => {
        if (key === 'Enter') void keep();
        if (key === 'Escape') setText(null);
      }}
    />
  );
}

/** Publishes the workflow: triggers then run this version. */
function GoLive({ session: { saver, editor } }: { session: EditorSession }) {
  const { status, version, active_version: active } = useStore(saver.workflow);
  const state = useStore(saver.state);
  const [isBusy, setIsBusy] = useState(false);
  const isLive = status === 'active' && active === version && state.kind === 'saved';
  const go = async (): Promise<void> => {
    setIsBusy(true);
    await publish(saver, editor);
    setIsBusy(false);
  };
  useCommands(() =>
    isLive
      ? []
      : [
          {
            id: 'activate',
            title: status === 'active' ? t('Publish workflow') : t('Activate workflow'),
            detail: t('Triggers run this version'),
            group: t('This workflow'),
            icon: Rocket,
            words: t('live deploy', { context: 'keywords' }),
            run: () => void go(),
          },
        ],
  );
  if (isLive)
    return (
      <Menu
        trigger={
          <Button icon={<Rocket size={14} />}>
            {t('Published')}
            <ChevronDown size={14} aria-hidden="true" />
          </Button>
        }
      >
        <DeactivateItem saver={saver} />
      </Menu>
    );
  return (
    <Button
      variant="primary"
      icon={<Rocket size={14} />}
      isBusy={isBusy}
      title={
        status === 'active' && active !== null ? t('Version {{active}} is published', { active }) : undefined
      }
      onClick={() => void go()}
    >
      {status === 'active' ? t('Publish') : t('Activate')}
    </Button>
  );
}

function DeactivateItem({ saver }: { saver: Autosave }) {
  return (
    <MenuItem
      icon={<PowerOff size={15} />}
      onSelect={() =>
        void attempt(t('Could not deactivate the workflow'), () => saver.update({ status: 'inactive' }))
      }
    >
      {t('Deactivate')}
    </MenuItem>
  );
}

function More({ session: { editor, saver, ui } }: { session: EditorSession }) {
  const workflow = useStore(saver.workflow);
  const { id, status, name } = workflow;
  const [, navigate] = useLocation();
  const [isBudgetOpen, setIsBudgetOpen] = useState(false);
  const duplicate = useDuplicateWorkflow((copy) => {
    toast({ tone: 'good', title: t('“{{name}}” created', { name: copy.name }) });
    navigate(`/workflows/${copy.id}`);
  });
  return (
    <>
      <Menu trigger={<IconButton label={t('More actions')} icon={<Ellipsis size={16} />} />}>
        <MenuItem
          icon={<Braces size={15} />}
          onSelect={() =>
            downloadJson(
              `${toFileName(name)}.json`,
              toWorkflowFile({ ...workflow, definition: toDefinition(editor.doc()) }),
            )
          }
        >
          {t('Export as JSON')}
        </MenuItem>
        <MenuItem
          icon={<Copy size={15} />}
          onSelect={() => void saver.flush().then((isSaved) => isSaved && duplicate.mutate({ id }))}
        >
          {t('Duplicate')}
        </MenuItem>
        <MenuSeparator />
        <MenuItem icon={<ListVideo size={15} />} onSelect={() => navigate(`/executions?workflow=${id}`)}>
          {t('Executions')}
        </MenuItem>
        <MenuItem icon={<ChartColumn size={15} />} onSelect={() => navigate(`/workflows/${id}/history`)}>
          {t('Run history')}
        </MenuItem>
        <MenuItem icon={<Coins size={15} />} onSelect={() => setIsBudgetOpen(true)}>
          {t('Daily budget…')}
        </MenuItem>
        <MenuItem icon={<Keyboard size={15} />} onSelect={() => ui.show({ areShortcutsOpen: true })}>
          {t('Keyboard shortcuts')}
        </MenuItem>
        {status === 'active' && (
          <>
            <MenuSeparator />
            <DeactivateItem saver={saver} />
          </>
        )}
      </Menu>
      {isBudgetOpen && <BudgetDialog saver={saver} onClose={() => setIsBudgetOpen(false)} />}
    </>
  );
}

/** Shows an error as a toast. */
async function attempt(title: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    toast({ tone: 'bad', title, text: toErrorText(error) });
  }
}
