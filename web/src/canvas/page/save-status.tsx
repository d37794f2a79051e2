import { Check, CloudOff, CircleAlert, GitCompareArrows, LoaderCircle, PencilLine } from 'lucide-react';
import { useStore } from '../../data/store.ts';
import { Button } from '../../ui/button.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import type { Autosave } from '../state/autosave.ts';
import { t } from '../../i18n/index.ts';

/** The save status, and the reason if saving fails. */
export function SaveStatus({ saver, onChoose }: { saver: Autosave; onChoose: () => void }) {
  const state = useStore(saver.state);
  const { version } = useStore(saver.workflow);
  switch (state.kind) {
    case 'saved':
      return (
        <Words icon={<Check size={14} aria-hidden="true" />} title={t('Version {{version}}', { version })}>
          {t('Saved')}
        </Words>
      );
    case 'edited':
      return <Words icon={<PencilLine size={14} aria-hidden="true" />}>{t('Edited')}</Words>;
    case 'saving':
      return (
        <Words icon={<LoaderCircle size={14} aria-hidden="true" className="spin" />}>{t('Saving…')}</Words>
      );
    case 'lost':
      return (
        <Words tone="warn" icon={<CloudOff size={14} aria-hidden="true" />} title={state.message}>
          {t('Not saved; kept in this browser')}
        </Words>
      );
    case 'refused':
      return (
        <Words tone="bad" icon={<CircleAlert size={14} aria-hidden="true" />} title={state.message}>
          <span className="save__message">{t('Not saved: {{message}}', { message: state.message })}</span>
          {state.canBeDraft && (
            <Button
              size="small"
              title={t('Inactive workflows cannot have errors; drafts can.')}
              onClick={() => void asDraft(saver)}
            >
              {t('Save as draft')}
            </Button>
          )}
        </Words>
      );
    case 'conflict':
      return (
        <Words tone="warn" icon={<GitCompareArrows size={14} aria-hidden="true" />}>
          {t('Changed elsewhere')}
          <Button size="small" onClick={onChoose}>
            {t('Resolve…')}
          </Button>
        </Words>
      );
  }
}

async function asDraft(saver: Autosave): Promise<void> {
  try {
    await saver.saveAsDraft();
  } catch (error) {
    toast({ tone: 'bad', title: t('Could not save'), text: error instanceof Error ? error.message : '' });
  }
}

function Words({
  icon,
  tone,
  title,
  children,
}: {
  icon: React.ReactNode;
  tone?: 'warn' | 'bad';
  title?: string | undefined;
  children: React.ReactNode;
}) {
  return (
    <span className={tone === undefined ? 'save' : `save save--${tone}`} role="status" title={title}>
      {icon}
      {children}
    </span>
  );
}
