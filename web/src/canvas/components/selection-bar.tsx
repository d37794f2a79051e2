import { Copy, CopyPlus, LayoutDashboard, PowerOff, Trash2 } from 'lucide-react';
import { IconButton } from '../../ui/button.tsx';
import { useCanvas, useStoreSelector } from './canvas-context.ts';
import { copyText } from './clipboard.ts';
import { t } from '../../i18n/index.ts';

/** The commands for several selected nodes. Every command also has a shortcut. */
export function SelectionBar() {
  const { editor, actions, isReadOnly } = useCanvas();
  const count = useStoreSelector(
    editor.history,
    ({ selection: { nodes, notes } }) => nodes.size + notes.size,
  );
  const nodeCount = useStoreSelector(editor.history, ({ selection: { nodes } }) => nodes.size);
  const areDisabled = useStoreSelector(editor.history, ({ doc, selection: { nodes } }) =>
    [...nodes].every((id) => doc.nodes.get(id)?.disabled === true),
  );
  if (isReadOnly || count < 2) return null;
  const act = (run: () => void) => (): void => {
    run();
    actions.focus();
  };
  return (
    <div className="tools tools--selection" role="toolbar" aria-label={t('Selection')}>
      <span className="tools__count">{t('{{number}} selected', { number: count })}</span>
      <span className="tools__line" />
      <IconButton
        label={t('Copy (Ctrl+C)')}
        size="small"
        icon={<Copy size={15} />}
        onClick={act(() => void copyText(actions.copiedText()))}
      />
      <IconButton
        label={t('Duplicate (Ctrl+D)')}
        size="small"
        icon={<CopyPlus size={15} />}
        onClick={act(actions.duplicate)}
      />
      {nodeCount > 0 && (
        <IconButton
          label={areDisabled ? t('Enable (D)') : t('Disable (D)')}
          size="small"
          icon={<PowerOff size={15} />}
          onClick={act(actions.toggleDisabled)}
        />
      )}
      {nodeCount > 0 && (
        <IconButton
          label={t('Auto-layout selection (L)')}
          size="small"
          icon={<LayoutDashboard size={15} />}
          onClick={act(actions.arrange)}
        />
      )}
      <span className="tools__line" />
      <IconButton
        label={t('Delete (Delete)')}
        size="small"
        icon={<Trash2 size={15} />}
        onClick={act(actions.remove)}
      />
    </div>
  );
}
