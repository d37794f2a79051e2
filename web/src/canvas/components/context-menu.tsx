import {
  AlignCenterHorizontal,
  AlignCenterVertical,
  AlignEndHorizontal,
  AlignEndVertical,
  AlignHorizontalSpaceAround,
  AlignStartHorizontal,
  AlignStartVertical,
  AlignVerticalSpaceAround,
  Cable,
  ClipboardPaste,
  Copy,
  CopyPlus,
  GitFork,
  LayoutDashboard,
  ListPlus,
  Maximize,
  Pencil,
  Play,
  Plus,
  PowerOff,
  Scissors,
  SquareArrowOutUpRight,
  StickyNote,
  Trash2,
  type LucideIcon,
} from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { useStore } from '../../data/store.ts';
import { MenuItem, MenuLabel, MenuSeparator } from '../../ui/overlays/menu.tsx';
import { noteColors } from '../model/document.ts';
import { addBody } from '../model/edit/edit-bodies.ts';
import { getGraphIndex } from '../model/graph-index.ts';
import { getBodyLabel, getNewBody } from '../model/structure.ts';
import { isTrigger } from '../model/catalog.ts';
import type { Alignment } from '../model/edit/arrange.ts';
import { useCanvas } from './canvas-context.ts';
import { copyText, pasteAt } from './clipboard.ts';
import { t } from '../../i18n/index.ts';

const aligns: readonly [Alignment, string, LucideIcon][] = [
  ['left', t('Align left'), AlignStartVertical],
  ['center', t('Align centers'), AlignCenterVertical],
  ['right', t('Align right'), AlignEndVertical],
  ['top', t('Align top'), AlignStartHorizontal],
  ['middle', t('Align middles'), AlignCenterHorizontal],
  ['bottom', t('Align bottom'), AlignEndHorizontal],
  ['row', t('Distribute horizontally'), AlignHorizontalSpaceAround],
  ['column', t('Distribute vertically'), AlignVerticalSpaceAround],
];

/** The maximum number of bodies in the menu; others have the + of their lane. */
const MAX_BODIES = 8;

/** The context menu of a canvas element. Every command also has a shortcut. */
export function ContextMenu() {
  const { actions, ui } = useCanvas();
  const { menu } = useStore(ui);
  if (menu === null) return null;
  const { x, y } = menu.screen;
  return (
    <DropdownMenu.Root
      key={`${x} ${y}`}
      open
      modal={false}
      onOpenChange={(isOpen) => {
        if (isOpen) return;
        ui.show({ menu: null });
        // Immediately, so that no key is lost; an element opened by the choice keeps the focus.
        const { adding, renaming, writing, connecting } = ui.get();
        if (adding === null && renaming === null && writing === null && connecting === null) actions.focus();
      }}
    >
      <DropdownMenu.Trigger asChild>
        <span className="menu-anchor" style={{ left: x, top: y }} aria-hidden="true" tabIndex={-1} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          className="menu"
          align="start"
          sideOffset={2}
          collisionPadding={8}
          loop
          aria-label={t('Context menu')}
          onCloseAutoFocus={(event) => event.preventDefault()}
        >
          {menu.on.kind === 'pane' && <PaneItems />}
          {menu.on.kind === 'edge' && <EdgeItems id={menu.on.id} />}
          {menu.on.kind === 'selection' && <SelectionItems />}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

function PaneItems() {
  const { actions, ui } = useCanvas();
  const screen = ui.get().menu?.screen ?? { x: 0, y: 0 };
  const position = actions.onCanvas(screen);
  return (
    <>
      <MenuItem icon={<Plus size={15} />} onSelect={() => actions.openAdd({ screen, position })}>
        {t('Add node')}
      </MenuItem>
      <MenuItem icon={<StickyNote size={15} />} onSelect={() => actions.addComment(position)}>
        {t('Add comment')}
      </MenuItem>
      <MenuItem icon={<ClipboardPaste size={15} />} onSelect={() => void pasteAt(actions, position)}>
        {t('Paste')}
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={<LayoutDashboard size={15} />} onSelect={actions.arrange}>
        {t('Auto-layout')}
      </MenuItem>
      <MenuItem icon={<Maximize size={15} />} onSelect={actions.fit}>
        {t('Fit view')}
      </MenuItem>
    </>
  );
}

function EdgeItems({ id }: { id: string }) {
  const { actions, ui } = useCanvas();
  const screen = ui.get().menu?.screen ?? { x: 0, y: 0 };
  return (
    <>
      <MenuItem
        icon={<Plus size={15} />}
        onSelect={() => actions.openAdd({ screen, position: actions.onCanvas(screen), edge: id })}
      >
        {t('Insert node')}
      </MenuItem>
      <MenuItem icon={<Trash2 size={15} />} isDanger onSelect={actions.remove}>
        {t('Delete connection')}
      </MenuItem>
    </>
  );
}

function SelectionItems() {
  const { editor, actions, ui, nodeRuns } = useCanvas();
  const { nodes, notes } = editor.selection();
  const id = actions.current();
  const isOne = nodes.size === 1 && notes.size === 0;
  const entry = id === null ? undefined : editor.doc().nodes.get(id);
  const index = getGraphIndex(editor.doc(), editor.catalog);
  const bodies = id === null ? [] : [...(index.bodyNodes.get(id)?.keys() ?? [])].slice(0, MAX_BODIES);
  const isInside = id !== null && index.bodyPositions.has(id);
  const newBody = getNewBody(entry?.type ?? '');
  return (
    <>
      {isOne && (
        <>
          <MenuItem icon={<Plus size={15} />} onSelect={() => actions.openAdd()}>
            {t('Add node after')}
          </MenuItem>
          {bodies.map((body) => (
            <MenuItem key={body} icon={<ListPlus size={15} />} onSelect={() => actions.openInto(body)}>
              {t('Add node to {{label}}', { label: getBodyLabel(entry?.type ?? '', body) })}
            </MenuItem>
          ))}
          {entry !== undefined && newBody !== null && (
            <MenuItem
              icon={<GitFork size={15} />}
              onSelect={() =>
                newBody.isTool === true
                  ? ui.show({ addingTool: entry.id })
                  : editor.change(newBody.action, (doc) => addBody(doc, entry.id))
              }
            >
              {newBody.action}
            </MenuItem>
          )}
          {isInside && (
            <MenuItem icon={<SquareArrowOutUpRight size={15} />} onSelect={actions.takeOut}>
              {t('Move out of container')}
            </MenuItem>
          )}
          <MenuItem icon={<Cable size={15} />} onSelect={() => ui.show({ connecting: id })}>
            {t('Connect to…')}
          </MenuItem>
          <MenuItem icon={<Pencil size={15} />} onSelect={() => ui.show({ renaming: id })}>
            {t('Rename')}
          </MenuItem>
          {nodeRuns !== null && entry !== undefined && !isTrigger(editor.catalog, entry.type) && (
            <MenuItem icon={<Play size={15} />} onSelect={() => void nodeRuns.start(entry.id)}>
              {t('Run this node')}
            </MenuItem>
          )}
        </>
      )}
      {nodes.size > 0 && (
        <MenuItem icon={<PowerOff size={15} />} onSelect={actions.toggleDisabled}>
          {t('Disable / enable')}
        </MenuItem>
      )}
      <MenuSeparator />
      <MenuItem icon={<Copy size={15} />} onSelect={() => void copyText(actions.copiedText())}>
        {t('Copy')}
      </MenuItem>
      <MenuItem icon={<Scissors size={15} />} onSelect={() => void copyText(actions.cut())}>
        {t('Cut')}
      </MenuItem>
      <MenuItem icon={<CopyPlus size={15} />} onSelect={actions.duplicate}>
        {t('Duplicate')}
      </MenuItem>
      {nodes.size > 1 && (
        <>
          <MenuSeparator />
          <div className="menu__grid">
            {aligns.map(([how, label, Icon]) => (
              <DropdownMenu.Item
                key={how}
                className="menu__tool"
                aria-label={label}
                title={label}
                onSelect={() => actions.align(how)}
              >
                <Icon size={15} aria-hidden="true" />
              </DropdownMenu.Item>
            ))}
          </div>
          <MenuItem icon={<LayoutDashboard size={15} />} onSelect={actions.arrange}>
            {t('Auto-layout selection')}
          </MenuItem>
        </>
      )}
      {notes.size > 0 && (
        <>
          <MenuSeparator />
          <MenuLabel>{t('Color')}</MenuLabel>
          <div className="menu__grid">
            {noteColors.map((color) => (
              <DropdownMenu.Item
                key={color}
                className="menu__tool"
                aria-label={color}
                title={color}
                onSelect={() => actions.paint(color)}
              >
                <span className={`swatch note--${color}`} />
              </DropdownMenu.Item>
            ))}
          </div>
        </>
      )}
      <MenuSeparator />
      <MenuItem icon={<Trash2 size={15} />} isDanger onSelect={actions.remove}>
        {t('Delete')}
      </MenuItem>
    </>
  );
}
