import { ChevronDown, ChevronUp, Search, X } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useStore } from '../../data/store.ts';
import { IconButton } from '../../ui/button.tsx';
import { findIn, type Hit } from '../model/find.ts';
import { useCanvas, useStoreSelector } from './canvas-context.ts';
import { t } from '../../i18n/index.ts';

/** Searches names, ids, configurations and comments, and moves between the matches. */
export function FindBar() {
  const { ui } = useCanvas();
  const isFinding = useStoreSelector(ui, (state) => state.isFinding);
  return isFinding ? <Bar /> : null;
}

const MAX_RESULTS = 8;

function Bar() {
  const { editor, actions, ui } = useCanvas();
  const { doc } = useStore(editor.history);
  const [text, setText] = useState('');
  const [index, setIndex] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const hits = useMemo(() => findIn(doc, editor.catalog, text), [doc, editor, text]);
  const current = hits.length === 0 ? null : hits[index % hits.length]!;

  useEffect(() => input.current?.select(), []);
  // Only when the match changes: an edit must not move the viewport.
  const [kind, id] = [current?.kind ?? null, current?.id ?? null];
  useEffect(() => {
    if (kind === null || id === null) return;
    editor.select(kind === 'node' ? { nodes: new Set([id]) } : { notes: new Set([id]) });
    actions.reveal([id]);
  }, [kind, id, actions, editor]);

  const go = (by: number): void =>
    setIndex((now) => (hits.length === 0 ? 0 : (now + by + hits.length) % hits.length));
  const close = (): void => {
    ui.show({ isFinding: false });
    actions.focus();
  };
  const first = Math.max(0, Math.min(index - 2, hits.length - MAX_RESULTS));
  return (
    <div className="find" role="search">
      <div className="find__bar">
        <Search size={15} aria-hidden="true" />
        <input
          ref={input}
          autoFocus
          className="find__input"
          aria-label={t('Find in workflow')}
          placeholder={t('Find in workflow')}
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            setIndex(0);
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter') go(event.shiftKey ? -1 : 1);
            else if (event.key === 'ArrowDown') go(1);
            else if (event.key === 'ArrowUp') go(-1);
            else if (event.key === 'Escape') close();
            else return;
            event.preventDefault();
          }}
        />
        <span className="find__count" role="status">
          {text.trim() === ''
            ? ''
            : hits.length === 0
              ? t('No results')
              : t('{{number}} of {{total}}', { number: (index % hits.length) + 1, total: hits.length })}
        </span>
        <IconButton
          label={t('Previous')}
          size="small"
          icon={<ChevronUp size={15} />}
          disabled={hits.length === 0}
          onClick={() => go(-1)}
        />
        <IconButton
          label={t('Next')}
          size="small"
          icon={<ChevronDown size={15} />}
          disabled={hits.length === 0}
          onClick={() => go(1)}
        />
        <IconButton label={t('Close')} size="small" icon={<X size={15} />} onClick={close} />
      </div>
      {hits.length > 0 && (
        <ul className="find__hits">
          {hits.slice(first, first + MAX_RESULTS).map((hit, i) => (
            <HitRow
              key={`${hit.kind} ${hit.id}`}
              hit={hit}
              isCurrent={hit === current}
              onChoose={() => setIndex(first + i)}
            />
          ))}
        </ul>
      )}
    </div>
  );
}

function HitRow({ hit, isCurrent, onChoose }: { hit: Hit; isCurrent: boolean; onChoose: () => void }) {
  return (
    <li>
      <button
        type="button"
        className="find__hit"
        aria-current={isCurrent ? 'true' : undefined}
        onClick={onChoose}
      >
        <span className="find__title">{hit.title}</span>
        <span className="find__where">{hit.where}</span>
        {hit.excerpt !== hit.title && <span className="find__excerpt">{hit.excerpt}</span>}
      </button>
    </li>
  );
}
