import { X } from 'lucide-react';
import { useMemo, useState } from 'react';
import { parseOperationEntryId } from '../../connectors/operation-entries.ts';
import { useOperationEntries } from '../../connectors/load-operations.ts';
import { IconButton } from '../../ui/button.tsx';
import { Input } from '../../ui/field.tsx';
import {
  listPaletteEntries,
  listSearchEntries,
  listSuggestedEntries,
  type PaletteEntry,
} from '../model/palette-entries.ts';
import { search } from '../model/search.ts';
import { listRecentEntries } from '../state/recent-entries.ts';
import { useCanvas, useStoreSelector } from './canvas-context.ts';
import { endDrag, startDrag } from './dragged-type.ts';
import { TypeIcon } from './type-icon.tsx';
import { t } from '../../i18n/index.ts';

/** The maximum number of results. */
const MAX_RESULTS = 50;

/** All node types next to the canvas. Added by drag, double click or Enter. */
export function Palette() {
  const { ui } = useCanvas();
  const isOpen = useStoreSelector(ui, (state) => state.isPaletteOpen);
  return isOpen ? <PaletteList /> : null;
}

function PaletteList() {
  const { editor, actions, ui } = useCanvas();
  const [text, setText] = useState('');
  // The order changes only when the list is opened or searched, so that entries do not move under the
  // pointer.
  const operations = useOperationEntries(editor.catalog);
  const groups = useMemo(() => {
    const entries = listPaletteEntries(editor.catalog);
    const isSearching = text.trim() !== '';
    const found = isSearching
      ? search(listSearchEntries(editor.catalog), text).slice(0, MAX_RESULTS)
      : listSuggestedEntries(entries, operations, listRecentEntries());
    return Map.groupBy(found, ({ group }) => (isSearching ? t('Results') : group));
  }, [editor, operations, text]);
  const add = (entry: PaletteEntry): void => {
    actions.addBehind(entry.id);
    actions.focus();
  };
  return (
    <aside className="palette" aria-label={t('Node types')}>
      <div className="palette__head">
        <Input
          type="search"
          aria-label={t('Search node types')}
          placeholder={t('Search node types')}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={({ key }) => {
            const first = groups.get(t('Results'))?.[0];
            if (key === 'Enter' && first !== undefined) add(first);
          }}
        />
        <IconButton
          label={t('Close node palette')}
          size="small"
          icon={<X size={15} />}
          onClick={() => ui.show({ isPaletteOpen: false })}
        />
      </div>
      <div className="palette__list">
        {[...groups].map(([title, entries]) => (
          <section key={title} aria-label={title}>
            <h2 className="palette__group">{title}</h2>
            <ul>
              {entries.map((entry) => (
                <PaletteItem key={entry.id} entry={entry} onAdd={() => add(entry)} />
              ))}
            </ul>
          </section>
        ))}
        {groups.size === 0 && <p className="palette__empty">{t('No matching node types')}</p>}
      </div>
    </aside>
  );
}

function PaletteItem({ entry, onAdd }: { entry: PaletteEntry; onAdd: () => void }) {
  const [isTouched, setIsTouched] = useState(false);
  return (
    <li>
      <button
        type="button"
        className="palette__item"
        draggable
        title={entry.detail}
        onDragStart={(event) => startDrag(event, entry.id)}
        onDragEnd={endDrag}
        onDoubleClick={onAdd}
        onPointerDown={({ pointerType }) => setIsTouched(pointerType === 'touch')}
        onClick={({ detail }) => {
          // A single key press or tap is enough.
          if (detail === 0 || isTouched) onAdd();
        }}
      >
        <TypeIcon type={entry} />
        <span className="palette__name">{entry.title}</span>
        {parseOperationEntryId(entry.id) !== null && <span className="palette__of">{entry.type.name}</span>}
      </button>
    </li>
  );
}
