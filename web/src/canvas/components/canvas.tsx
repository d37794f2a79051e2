import { ReactFlowProvider, useStore as useFlow, type Viewport } from '@xyflow/react';
import { useCallback, useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { useStore } from '../../data/store.ts';
import { isTrigger } from '../model/catalog.ts';
import type { Size } from '../model/layout/geometry.ts';
import type { Point } from '../model/document.ts';
import { CanvasContext, useCanvas, useStoreSelector, type CanvasTools } from './canvas-context.ts';
import { FarZoomContext, isFarZoom } from './node-card/node-card.tsx';
import { computeFirstViewport } from './first-viewport.ts';
import { Flow } from './react-flow-canvas.tsx';
import { pressKey } from './shortcuts.ts';
import { MAP_INSET, useAttachedViewport } from './use-viewport.ts';
import { t } from '../../i18n/index.ts';

export type CanvasProps = {
  readonly tools: CanvasTools;
  /** The accessible name of the region. */
  readonly label: string;
  readonly onOpenNode?: ((id: string) => void) | undefined;
  /** Overlays such as toolbars and lists. */
  readonly children?: ReactNode;
};

/** A canvas with keyboard support. It is one tab stop: arrow keys move between nodes. */
export function Canvas({ tools, label, onOpenNode, children }: CanvasProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [first, setFirst] = useState<{ viewport: Viewport; size: Size } | null>(null);
  useLayoutEffect(() => {
    const { offsetWidth: width, offsetHeight: height } = frame.current!;
    const covered = tools.ui.get().isMapOpen ? MAP_INSET : 0;
    const { editor } = tools;
    const viewport = computeFirstViewport(editor.doc(), editor.catalog, width, height - covered);
    setFirst({ viewport, size: { width, height } });
  }, [tools]);
  return (
    <CanvasContext value={tools}>
      <ReactFlowProvider>
        <div className="canvas" ref={frame}>
          {first !== null && (
            <Board first={first} label={label} onOpenNode={onOpenNode}>
              {children}
            </Board>
          )}
        </div>
      </ReactFlowProvider>
    </CanvasContext>
  );
}

function Board({
  first,
  label,
  onOpenNode,
  children,
}: Omit<CanvasProps, 'tools'> & { first: { viewport: Viewport; size: Size } }) {
  const { editor, actions, ui, isReadOnly, nodeRuns } = useCanvas();
  const board = useRef<HTMLDivElement>(null);
  const pointer = useRef<Point | null>(null);
  const isFar = useFlow(isFarZoom);
  const hasSelection = useStoreSelector(
    editor.history,
    ({ selection: { nodes, notes, edges } }) => nodes.size + notes.size + edges.size > 0,
  );
  useAttachedViewport(board, pointer, first.size);
  useClipboard(board);
  // Without a focused element, the canvas gets the focus, so that keys work in a new workflow.
  useEffect(() => {
    const { activeElement } = document;
    const { current: frame } = board;
    if (isReadOnly || frame === null || (activeElement !== null && !activeElement.contains(frame))) return;
    frame.dataset['quiet'] = '';
    frame.focus({ preventScroll: true });
  }, [isReadOnly]);
  // Outside of React state, because it changes with every wheel event.
  const onMoving = useCallback((how: 'drag' | 'wheel' | null) => {
    const { current: frame } = board;
    if (how === null) frame?.removeAttribute('data-moving');
    else if (frame?.dataset['moving'] !== how) frame?.setAttribute('data-moving', how);
  }, []);
  return (
    <>
      <div
        ref={board}
        className={isFar ? 'canvas__board canvas__board--far' : 'canvas__board'}
        role="application"
        aria-roledescription={t('workflow canvas')}
        aria-label={label}
        tabIndex={0}
        // The selection shows the focus; without a selection, the frame does.
        data-chosen={hasSelection ? '' : undefined}
        onPointerMove={({ clientX, clientY }) => (pointer.current = { x: clientX, y: clientY })}
        onPointerLeave={() => (pointer.current = null)}
        onPointerDownCapture={({ target }) => {
          if (!isTyping(target)) board.current?.focus({ preventScroll: true });
        }}
        onBlur={({ currentTarget }) => delete currentTarget.dataset['quiet']}
        onKeyDown={(event) => {
          delete event.currentTarget.dataset['quiet'];
          if (isTyping(event.target)) return;
          if ((event.shiftKey && event.key === 'F10') || event.key === 'ContextMenu') {
            event.preventDefault();
            openMenuAtSelection();
            return;
          }
          const isDone = pressKey(event.nativeEvent, {
            editor,
            actions,
            ui,
            isReadOnly,
            openPanel: (id) => onOpenNode?.(id),
            runNode,
          });
          if (isDone) event.preventDefault();
        }}
      >
        <FarZoomContext value={isFar}>
          <Flow viewport={first.viewport} onMoving={onMoving} />
        </FarZoomContext>
      </div>
      {children}
      <Announcer />
    </>
  );

  function runNode(id: string): void {
    const entry = editor.doc().nodes.get(id);
    if (entry === undefined || nodeRuns === null) return;
    if (isTrigger(editor.catalog, entry.type)) editor.announce(t('A trigger cannot be run on its own'));
    else void nodeRuns.start(id);
  }

  function openMenuAtSelection(): void {
    const { left = 0, top = 0, width = 0, height = 0 } = board.current?.getBoundingClientRect() ?? {};
    const id = actions.current();
    const element =
      id === null ? null : board.current?.querySelector(`.react-flow__node[data-id="${CSS.escape(id)}"]`);
    const box = element?.getBoundingClientRect();
    const screen =
      box === undefined ? { x: left + width / 2, y: top + height / 2 } : { x: box.left + 20, y: box.bottom };
    if (!isReadOnly) ui.show({ menu: { screen, on: { kind: id === null ? 'pane' : 'selection' } } });
  }
}

/** Copy, cut and paste use the browser's events, which need no permission and work without HTTPS. */
function useClipboard(board: React.RefObject<HTMLElement | null>): void {
  const { actions, isReadOnly } = useCanvas();
  useEffect(() => {
    const isOurs = (event: ClipboardEvent): boolean => {
      const { activeElement } = document;
      if (isTyping(event.target) || isTyping(activeElement)) return false;
      return activeElement === board.current && (getSelection()?.isCollapsed ?? true);
    };
    const take = (event: ClipboardEvent, text: string | null): void => {
      if (text === null) return;
      event.clipboardData?.setData('text/plain', text);
      event.preventDefault();
    };
    const onCopy = (event: ClipboardEvent): void => {
      if (isOurs(event)) take(event, actions.copiedText());
    };
    const onCut = (event: ClipboardEvent): void => {
      if (isOurs(event) && !isReadOnly) take(event, actions.cut());
    };
    const onPaste = (event: ClipboardEvent): void => {
      if (!isOurs(event) || isReadOnly) return;
      event.preventDefault();
      actions.pasteText(event.clipboardData?.getData('text/plain') ?? '');
    };
    document.addEventListener('copy', onCopy);
    document.addEventListener('cut', onCut);
    document.addEventListener('paste', onPaste);
    return () => {
      document.removeEventListener('copy', onCopy);
      document.removeEventListener('cut', onCut);
      document.removeEventListener('paste', onPaste);
    };
  }, [actions, board, isReadOnly]);
}

function Announcer() {
  const { editor } = useCanvas();
  const { text, sequence } = useStore(editor.announcement);
  return (
    <div className="visually-hidden" role="status" aria-live="polite">
      <span key={sequence}>{text}</span>
    </div>
  );
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT|BUTTON)$/.test(target.tagName))
  );
}
