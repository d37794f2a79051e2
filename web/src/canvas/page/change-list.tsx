import { ArrowRight, Cable, MessageSquare, Move, Pencil, Plus, Trash2, Unplug } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Diff } from '../model/diff.ts';
import type { Catalog } from '../model/catalog.ts';
import type { Doc, Connection } from '../model/document.ts';
import { getNodeTitle } from '../model/title.ts';
import { FieldChanges } from '../components/field-changes.tsx';
import { t, tPlural } from '../../i18n/index.ts';

const MAX_SHOWN = 100;

/** Lists the differences by element and field. */
export function ChangeList({
  diff,
  before,
  after,
  catalog,
  onChoose,
}: {
  diff: Diff;
  before: Doc;
  after: Doc;
  catalog: Catalog;
  /** A node was chosen from the list. */
  onChoose?: ((id: string) => void) | undefined;
}) {
  const name = (id: string): string => {
    const entry = after.nodes.get(id) ?? before.nodes.get(id);
    return entry === undefined ? id : getNodeTitle(entry, catalog);
  };
  const connection = ({ from, sourcePort, to }: Connection): ReactNode => (
    <>
      {name(from)}
      {sourcePort !== undefined && sourcePort !== 'out' && <em> {sourcePort}</em>}{' '}
      <ArrowRight size={12} aria-label={t('to', { context: 'direction' })} /> {name(to)}
    </>
  );
  const notes = diff.notes.added + diff.notes.changed + diff.notes.removed;
  const rows: ReactNode[] = [
    ...diff.added.map(({ id }) => (
      <Row
        key={`+${id}`}
        kind="added"
        icon={<Plus size={14} />}
        word={t('Added')}
        id={id}
        onChoose={onChoose}
      >
        {name(id)}
      </Row>
    )),
    ...diff.removed.map(({ id }) => (
      <Row
        key={`-${id}`}
        kind="removed"
        icon={<Trash2 size={14} />}
        word={t('Removed')}
        id={id}
        onChoose={onChoose}
      >
        {name(id)}
      </Row>
    )),
    ...diff.changed.map(({ id, fields }) => (
      <Row
        key={`~${id}`}
        kind="changed"
        icon={<Pencil size={14} />}
        word={t('Changed')}
        id={id}
        onChoose={onChoose}
        below={<FieldChanges changes={fields} />}
      >
        {name(id)}
      </Row>
    )),
    ...diff.connected.map((one) => (
      <Row key={`c${JSON.stringify(one)}`} kind="added" icon={<Cable size={14} />} word={t('Connected')}>
        {connection(one)}
      </Row>
    )),
    ...diff.disconnected.map((one) => (
      <Row
        key={`d${JSON.stringify(one)}`}
        kind="removed"
        icon={<Unplug size={14} />}
        word={t('Disconnected')}
      >
        {connection(one)}
      </Row>
    )),
    ...(notes === 0
      ? []
      : [
          <Row key="notes" kind="moved" icon={<MessageSquare size={14} />} word="">
            {tPlural(notes, '{{count}} comment', '{{count}} comments')}
          </Row>,
        ]),
    ...(diff.moved.length === 0
      ? []
      : [
          <Row key="moved" kind="moved" icon={<Move size={14} />} word={t('Moved')}>
            {diff.moved.length === 1
              ? name(diff.moved[0]!)
              : tPlural(diff.moved.length, '{{count}} node', '{{count}} nodes')}
          </Row>,
        ]),
  ];
  if (rows.length === 0) return <p className="changes__none">{t('No changes')}</p>;
  return (
    <ul className="changes">
      {rows.slice(0, MAX_SHOWN)}
      {rows.length > MAX_SHOWN && (
        <li className="changes__none">{t('and {{number}} more', { number: rows.length - MAX_SHOWN })}</li>
      )}
    </ul>
  );
}

function Row({
  kind,
  icon,
  word,
  id,
  onChoose,
  below,
  children,
}: {
  kind: string;
  icon: ReactNode;
  word: string;
  id?: string;
  onChoose?: ((id: string) => void) | undefined;
  below?: ReactNode;
  children: ReactNode;
}) {
  const words = (
    <>
      <span className={`changes__icon changes__icon--${kind}`} aria-hidden="true">
        {icon}
      </span>
      <span className="changes__words">
        {word !== '' && <span className="changes__word">{word} </span>}
        {children}
      </span>
    </>
  );
  return (
    <li className="changes__row">
      {id === undefined || onChoose === undefined ? (
        <span className="changes__line">{words}</span>
      ) : (
        <button type="button" className="changes__line" onClick={() => onChoose(id)}>
          {words}
        </button>
      )}
      {below}
    </li>
  );
}
