import { ChevronRight } from 'lucide-react';
import { useRef, useState, type KeyboardEvent } from 'react';
import { joinClassNames } from '../../ui/class-names.ts';
import { describeKind } from '../model/format-value.ts';
import { isRecord } from '../model/field-path.ts';
import { toTemplate, type PathSegments } from '../model/insert-path.ts';
import { startPathDrag } from './path-drag.ts';
import { emptyView, PARTS_STEP, listTreeRows, type TreeRoot, type TreeRow } from './tree-rows.ts';
import { t, tPlural } from '../../i18n/index.ts';

/** Characters of a value shown beside its name. */
const MAX_TEXT_LENGTH = 200;

/** A tree of values whose paths can be inserted by click, Enter or drag. */
export function FieldTree({
  label,
  roots,
  onInsert,
}: {
  label: string;
  roots: readonly TreeRoot[];
  onInsert: (segments: PathSegments) => void;
}) {
  const [view, setView] = useState(emptyView);
  const [active, setActive] = useState<string | null>(null);
  const tree = useRef<HTMLDivElement>(null);
  const rows = listTreeRows(roots, view);
  const activeId = rows.some(({ id }) => id === active) ? active : (rows[0]?.id ?? null);

  const setOpen = (row: TreeRow, isOpen: boolean): void =>
    setView({ ...view, open: new Map([...view.open, [row.id, isOpen]]) });
  const showMore = ({ parent }: TreeRow): void => {
    if (parent === null) return;
    const count = view.counts.get(parent) ?? PARTS_STEP;
    setView({ ...view, counts: new Map([...view.counts, [parent, count + PARTS_STEP * 5]]) });
  };
  const press = (row: TreeRow): void => {
    if (row.more > 0) showMore(row);
    else onInsert(row.segments);
  };
  const focus = (row: TreeRow | undefined): void => {
    if (row === undefined) return;
    setActive(row.id);
    tree.current?.querySelectorAll<HTMLElement>('[role="treeitem"]')[rows.indexOf(row)]?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const index = rows.findIndex(({ id }) => id === activeId);
    const row = rows[index];
    if (row === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    switch (event.key) {
      case 'ArrowDown':
        focus(rows[index + 1]);
        break;
      case 'ArrowUp':
        focus(rows[index - 1]);
        break;
      case 'Home':
        focus(rows[0]);
        break;
      case 'End':
        focus(rows.at(-1));
        break;
      case 'ArrowRight':
        if (row.isOpen === false) setOpen(row, true);
        else if (row.isOpen === true) focus(rows[index + 1]);
        break;
      case 'ArrowLeft':
        if (row.isOpen === true) setOpen(row, false);
        else focus(rows.find(({ id }) => id === row.parent));
        break;
      case ' ':
        if (row.isOpen !== null) setOpen(row, !row.isOpen);
        break;
      case 'Enter':
        press(row);
        break;
      default:
        return;
    }
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div ref={tree} className="tree" role="tree" aria-label={label} onKeyDown={onKeyDown}>
      {rows.map((row) => (
        <div
          key={row.id}
          role="treeitem"
          aria-level={row.level}
          aria-selected={row.id === activeId}
          {...(row.isOpen === null ? {} : { 'aria-expanded': row.isOpen })}
          tabIndex={row.id === activeId ? 0 : -1}
          className="tree__row"
          style={{ paddingInlineStart: `${(row.level - 1) * 0.875}rem` }}
          title={row.more > 0 ? undefined : t('Insert {{path}}', { path: toTemplate(row.segments) })}
          draggable={row.more === 0}
          onFocus={() => setActive(row.id)}
          onClick={() => press(row)}
          onDragStart={(event) => startPathDrag(event, row.segments)}
        >
          {row.more > 0 ? (
            <span className="tree__more">{t('Show more ({{hidden}} hidden)', { hidden: row.more })}</span>
          ) : (
            <>
              <span
                className="tree__toggle"
                aria-hidden="true"
                onClick={(event) => {
                  if (row.isOpen === null) return;
                  event.stopPropagation();
                  setOpen(row, !row.isOpen);
                }}
              >
                {row.isOpen !== null && <ChevronRight size={13} />}
              </span>
              <span className={joinClassNames('tree__key', row.level === 1 && 'tree__key--root')}>
                {row.label}
              </span>
              <Value value={row.value} />
            </>
          )}
        </div>
      ))}
    </div>
  );
}

function Value({ value }: { value: unknown }) {
  if (Array.isArray(value))
    return (
      <span className="json__summary">{tPlural(value.length, '{{count}} item', '{{count}} items')}</span>
    );
  if (isRecord(value)) {
    const count = Object.keys(value).length;
    return <span className="json__summary">{tPlural(count, '{{count}} field', '{{count}} fields')}</span>;
  }
  if (typeof value === 'string')
    return (
      <span className="tree__value json__string">
        {value.length > MAX_TEXT_LENGTH
          ? `${value.slice(0, MAX_TEXT_LENGTH)}…`
          : value || t('(empty string)')}
      </span>
    );
  return <span className={`tree__value json__${describeKind(value)}`}>{String(value)}</span>;
}
