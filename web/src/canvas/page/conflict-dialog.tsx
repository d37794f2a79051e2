import { useMemo } from 'react';
import { useStore } from '../../data/store.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { Alert } from '../../ui/alert.tsx';
import { Time } from '../../ui/time.tsx';
import { compareDocs } from '../model/diff.ts';
import { toDoc, type Definition } from '../model/document.ts';
import type { SaveState } from '../state/autosave.ts';
import { getTitleById } from '../model/title.ts';
import { ChangeList } from './change-list.tsx';
import type { EditorSession } from './editor-session.ts';
import { t, tElements } from '../../i18n/index.ts';

/** Another user saved first: shows both changes and lets the user choose. Saving is paused until then. */
export function ConflictDialog({ session: { saver, ui, editor, actions } }: { session: EditorSession }) {
  const state = useStore(saver.state);
  const { isChoosing } = useStore(ui);
  if (state.kind !== 'conflict') return null;
  const choose = (choice: 'mine' | 'theirs' | 'merge'): void => {
    ui.show({ isChoosing: true });
    saver.resolve(choice);
    actions.focus();
  };
  const { conflicts } = state.merge;
  const mine = editor.doc().nodes;
  return (
    <Dialog
      isOpen={isChoosing}
      onClose={() => ui.show({ isChoosing: false })}
      title={t('This workflow was changed elsewhere')}
      description={tElements(
        'Version {{version}} was saved {{time}}, in another tab or through the API. Your changes are kept in this browser but not saved yet.',
        { version: state.theirs.version, time: <Time at={state.theirs.updated_at} /> },
      )}
      size="huge"
      foot={
        <>
          <Button onClick={() => choose('theirs')}>{t('Discard my changes')}</Button>
          <Button
            variant={conflicts.length > 0 ? 'primary' : 'plain'}
            autoFocus={conflicts.length > 0}
            onClick={() => choose('mine')}
          >
            {t('Overwrite with my changes')}
          </Button>
          {conflicts.length === 0 && (
            <Button variant="primary" autoFocus onClick={() => choose('merge')}>
              {t('Merge changes')}
            </Button>
          )}
        </>
      }
    >
      <Sides state={state} editor={editor} />
      {conflicts.length > 0 && (
        <Alert tone="warn">
          {t('Your changes conflict with the saved version: {{conflicts}}.', {
            conflicts: [
              ...conflicts
                .slice(0, 5)
                .map(({ node, what }) => `${getTitleById(mine, node, editor.catalog)} (${what})`),
              ...(conflicts.length > 5 ? [t('and {{number}} more', { number: conflicts.length - 5 })] : []),
            ].join(', '),
          })}
        </Alert>
      )}
      <p className="conflict__note">{t('You can undo this choice. All versions stay in the history.')}</p>
    </Dialog>
  );
}

function Sides({
  state: { theirs, base },
  editor,
}: {
  state: Extract<SaveState, { kind: 'conflict' }>;
  editor: EditorSession['editor'];
}) {
  const other = useMemo(() => toDoc(theirs.definition as Definition), [theirs]);
  const sides = [
    { title: t('Saved version'), after: other },
    { title: t('Your changes'), after: editor.doc() },
  ];
  return (
    <div className="conflict">
      {sides.map(({ title, after }) => (
        <section key={title} aria-label={title}>
          <h3 className="conflict__title">{title}</h3>
          <ChangeList diff={compareDocs(base, after)} before={base} after={after} catalog={editor.catalog} />
        </section>
      ))}
    </div>
  );
}
