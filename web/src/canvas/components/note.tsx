import { NodeResizer, type NodeProps } from '@xyflow/react';
import { memo, useContext, useEffect, useRef, useState } from 'react';
import { changeNote } from '../model/edit/edit-notes.ts';
import type { Note } from '../model/document.ts';
import { useCanvas, useStoreSelector } from './canvas-context.ts';
import { FarZoomContext } from './node-card/node-card.tsx';
import type { NoteNode } from './flow-elements.ts';
import { t } from '../../i18n/index.ts';

const MAX_TEXT_LENGTH = 5_000;

/** A comment on the canvas. */
export const NoteCard = memo(function NoteCard({ data: { note }, selected }: NodeProps<NoteNode>) {
  const { editor, ui, isReadOnly } = useCanvas();
  const isFar = useContext(FarZoomContext);
  const isWriting = useStoreSelector(ui, ({ writing }) => writing === note.id);
  return (
    <div className={`note note--${note.colour}${selected ? ' note--selected' : ''}`}>
      {selected && !isReadOnly && (
        <NodeResizer
          minWidth={120}
          minHeight={60}
          onResizeEnd={(_event, { x, y, width, height }) =>
            editor.change(t('Resize comment'), (doc) => changeNote(doc, note.id, { x, y, width, height }))
          }
        />
      )}
      {isWriting ? (
        <NoteText note={note} />
      ) : (
        !isFar && <p className="note__text">{note.text === '' ? t('Double-click to edit') : note.text}</p>
      )}
    </div>
  );
});

function NoteText({ note }: { note: Note }) {
  const { editor, ui, actions } = useCanvas();
  const [text, setText] = useState(note.text);
  const isDone = useRef(false);
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => area.current?.setSelectionRange(note.text.length, note.text.length), [note]);
  const end = (isKept: boolean): void => {
    if (isDone.current) return;
    isDone.current = true;
    if (isKept) editor.change(t('Edit comment'), (doc) => changeNote(doc, note.id, { text }));
    ui.show({ writing: null });
    actions.focus();
  };
  return (
    <textarea
      ref={area}
      autoFocus
      className="note__area nodrag nopan nowheel"
      aria-label={t('Comment text')}
      value={text}
      maxLength={MAX_TEXT_LENGTH}
      onChange={({ target }) => setText(target.value)}
      onBlur={() => end(true)}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === 'Escape' || (event.key === 'Enter' && (event.ctrlKey || event.metaKey))) end(true);
      }}
    />
  );
}
