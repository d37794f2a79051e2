import { Play } from 'lucide-react';
import { useStore } from '../../../data/store.ts';
import { joinClassNames } from '../../../ui/class-names.ts';
import type { Entry } from '../../model/document.ts';
import { isTrigger } from '../../model/catalog.ts';
import { getNodeTitle } from '../../model/title.ts';
import { useCanvas, useStoreSelector } from '../canvas-context.ts';
import { t } from '../../../i18n/index.ts';

/** Runs a node from its card. Shown on hover, or if only this node is selected. By keyboard: R. */
export function RunNodeButton({ entry }: { entry: Entry }) {
  const { editor, nodeRuns, isReadOnly } = useCanvas();
  if (isReadOnly || nodeRuns === null || isTrigger(editor.catalog, entry.type)) return null;
  if (!editor.catalog.has(entry.type)) return null;
  return <Button entry={entry} nodeRuns={nodeRuns} title={getNodeTitle(entry, editor.catalog)} />;
}

function Button({
  entry,
  nodeRuns,
  title,
}: {
  entry: Entry;
  nodeRuns: NonNullable<ReturnType<typeof useCanvas>['nodeRuns']>;
  title: string;
}) {
  const { editor } = useCanvas();
  const isBusy = useStore(nodeRuns.starting) === entry.id;
  const isSelected = useStoreSelector(
    editor.history,
    ({ selection: { nodes } }) => nodes.size === 1 && nodes.has(entry.id),
  );
  return (
    <button
      type="button"
      className={joinClassNames('step__play', 'nodrag', 'nopan', isSelected && 'step__play--shown')}
      // The canvas is one tab stop; R does the same for the selected node.
      tabIndex={-1}
      aria-label={t('Run {{name}}', { name: title })}
      title={t('Run this node (R)')}
      aria-busy={isBusy || undefined}
      onClick={(event) => {
        event.stopPropagation();
        void nodeRuns.start(entry.id);
      }}
    >
      {isBusy ? <span className="spinner" aria-hidden="true" /> : <Play size={12} aria-hidden="true" />}
    </button>
  );
}
