import { Plus } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { useCanvas, useStoreSelector } from '../components/canvas-context.ts';
import { t, tElements } from '../../i18n/index.ts';

/** The empty state of the canvas. */
export function EmptyCanvas() {
  const { editor, actions } = useCanvas();
  const isEmpty = useStoreSelector(editor.history, ({ doc }) => doc.nodes.size === 0 && doc.notes.size === 0);
  if (!isEmpty) return null;
  return (
    <div className="empty-canvas">
      <p className="empty-canvas__title">{t('What starts this workflow?')}</p>
      <p>{t('Add a trigger, such as a webhook or a schedule, then add the nodes that run after it.')}</p>
      <div className="empty-canvas__ways">
        <Button
          variant="primary"
          icon={<Plus size={15} />}
          onClick={() => {
            actions.add('trigger', {});
            actions.focus();
          }}
        >
          {t('Add trigger')}
        </Button>
        <span>{tElements('or press {{key}} to add any node', { key: <Kbd>/</Kbd> })}</span>
      </div>
    </div>
  );
}
