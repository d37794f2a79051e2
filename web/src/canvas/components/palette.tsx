import { X } from 'lucide-react';
import { useMemo, useState } from 'react';
import { IconButton } from '../../ui/button.tsx';
import { Input } from '../../ui/field.tsx';
import { searchTypes, type NodeType } from '../model/catalogue.ts';
import { useCanvas, usePart } from './canvas-context.ts';
import { endDrag, startDrag } from './dragged-type.ts';
import { groupTitle, orderedTypes } from './type-groups.ts';
import { TypeIcon } from './type-icon.tsx';

/** All node types beside the canvas: to drag, to double-click, or by Enter. */
export function Palette() {
  const { ui } = useCanvas();
  const isOpen = usePart(ui, (state) => state.isPaletteOpen);
  return isOpen ? <PaletteList /> : null;
}

function PaletteList() {
  const { editor, ui } = useCanvas();
  const [text, setText] = useState('');
  const groups = useMemo(() => {
    const found = text.trim() === '' ? orderedTypes(editor.catalogue) : searchTypes(editor.catalogue, text);
    const byGroup = new Map<string, NodeType[]>();
    for (const type of found) {
      const title = text.trim() === '' ? groupTitle(type.category) : 'Results';
      byGroup.set(title, [...(byGroup.get(title) ?? []), type]);
    }
    return [...byGroup];
  }, [editor, text]);
  return (
    <aside className="palette" aria-label="Node types">
      <div className="palette__head">
        <Input
          type="search"
          aria-label="Search node types"
          placeholder="Search node types"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <IconButton
          label="Close node palette"
          size="small"
          icon={<X size={15} />}
          onClick={() => ui.show({ isPaletteOpen: false })}
        />
      </div>
      <div className="palette__list">
        {groups.map(([title, types]) => (
          <section key={title} aria-label={title}>
            <h2 className="palette__group">{title}</h2>
            <ul>
              {types.map((type) => (
                <PaletteItem key={type.id} type={type} />
              ))}
            </ul>
          </section>
        ))}
        {groups.length === 0 && <p className="palette__empty">No matching node types</p>}
      </div>
    </aside>
  );
}

function PaletteItem({ type }: { type: NodeType }) {
  const { actions } = useCanvas();
  const [isTouched, setIsTouched] = useState(false);
  const add = (): void => {
    actions.addBehind(type.id);
    actions.focus();
  };
  return (
    <li>
      <button
        type="button"
        className="palette__item"
        draggable
        title={type.description}
        onDragStart={(event) => startDrag(event, type.id)}
        onDragEnd={endDrag}
        onDoubleClick={add}
        onPointerDown={({ pointerType }) => setIsTouched(pointerType === 'touch')}
        onClick={({ detail }) => {
          // By a key, and on a screen without a mouse, once is enough.
          if (detail === 0 || isTouched) add();
        }}
      >
        <TypeIcon type={type} />
        <span className="palette__name">{type.name}</span>
      </button>
    </li>
  );
}
