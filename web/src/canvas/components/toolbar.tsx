import { useStore as useFlow } from '@xyflow/react';
import {
  Hand,
  Keyboard,
  LayoutDashboard,
  Map as MapIcon,
  Maximize,
  Minus,
  Plus,
  Search,
  SquareDashedMousePointer,
} from 'lucide-react';
import { IconButton } from '../../ui/button.tsx';
import { useCanvas, useStoreSelector } from './canvas-context.ts';
import { t } from '../../i18n/index.ts';

/** The toolbar of the canvas. */
export function Toolbar() {
  const { actions, ui, isReadOnly } = useCanvas();
  const zoom = useFlow(({ transform }) => Math.round(transform[2] * 100));
  const tool = useStoreSelector(ui, (state) => state.tool);
  const isMapOpen = useStoreSelector(ui, (state) => state.isMapOpen);
  return (
    <div className="tools" role="toolbar" aria-label={t('Canvas')}>
      {!isReadOnly && (
        <>
          <IconButton
            label={t('Pan tool (H)')}
            size="small"
            aria-pressed={tool === 'hand'}
            icon={<Hand size={15} />}
            onClick={() => ui.show({ tool: 'hand' })}
          />
          <IconButton
            label={t('Selection tool (V)')}
            size="small"
            aria-pressed={tool === 'select'}
            icon={<SquareDashedMousePointer size={15} />}
            onClick={() => ui.show({ tool: 'select' })}
          />
          <span className="tools__line" />
        </>
      )}
      <IconButton
        label={t('Zoom out (-)')}
        size="small"
        icon={<Minus size={15} />}
        onClick={() => actions.zoom('out')}
      />
      <button
        type="button"
        className="tools__zoom"
        title={t('Zoom to 100% (0)')}
        onClick={() => actions.zoom('one')}
      >
        {zoom}%
      </button>
      <IconButton
        label={t('Zoom in (+)')}
        size="small"
        icon={<Plus size={15} />}
        onClick={() => actions.zoom('in')}
      />
      <IconButton
        label={t('Fit view (1)')}
        size="small"
        icon={<Maximize size={15} />}
        onClick={actions.fit}
      />
      <span className="tools__line" />
      {!isReadOnly && (
        <IconButton
          label={t('Auto-layout (L)')}
          size="small"
          icon={<LayoutDashboard size={15} />}
          onClick={actions.arrange}
        />
      )}
      <IconButton
        label={t('Find in workflow (Ctrl+F)')}
        size="small"
        icon={<Search size={15} />}
        onClick={() => ui.show({ isFinding: true })}
      />
      <IconButton
        label={t('Minimap (M)')}
        size="small"
        className="tools__map"
        aria-pressed={isMapOpen}
        icon={<MapIcon size={15} />}
        onClick={() => ui.show({ isMapOpen: !isMapOpen })}
      />
      <IconButton
        label={t('Keyboard shortcuts (?)')}
        size="small"
        icon={<Keyboard size={15} />}
        onClick={() => ui.show({ areShortcutsOpen: true })}
      />
    </div>
  );
}
