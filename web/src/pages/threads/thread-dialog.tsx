import { useQuery } from '@tanstack/react-query';
import { Bot, UserRound, Wrench } from 'lucide-react';
import { Link } from 'wouter';
import type { ThreadDetail } from 'weft-client';
import { client } from '../../data/client.ts';
import { toErrorText } from '../../data/error-text.ts';
import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { locale, t, tPlural } from '../../i18n/index.ts';
import { readThreadRows, type ThreadRow } from './thread-rows.ts';

const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
const ICONS = { user: UserRound, model: Bot, tool: Wrench };
const ROLES = { user: t('User'), model: t('Model'), tool: t('Tool') };

/** The newest turns of a thread. */
export function ThreadDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const thread = useQuery({
    queryKey: ['threads', 'one', id],
    queryFn: ({ signal }) => client.threads.get(id, { signal }),
  });
  const { data, error } = thread;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={data?.key ?? t('Thread')}
      foot={<Button onClick={onClose}>{t('Close')}</Button>}
    >
      {error !== null && <Alert tone="bad">{toErrorText(error)}</Alert>}
      {data === undefined ? error === null && <Skeleton /> : <Conversation thread={data} />}
    </Dialog>
  );
}

function Conversation({ thread }: { thread: ThreadDetail }) {
  const left = thread.turns - thread.conversation.length;
  return (
    <div className="stack conversation">
      {left > 0 && (
        <p className="faint">
          {tPlural(left, '{{count}} earlier turn is not shown', '{{count}} earlier turns are not shown')}
        </p>
      )}
      {thread.conversation.map((turn, i) => (
        <section key={i}>
          <p className="faint numbers">
            <Link href={`/executions/${turn.execution_id}`}>
              {dateTime.format(Date.parse(turn.created_at))}
            </Link>
          </p>
          <ol className="conversation__list">
            {readThreadRows(turn.messages).map((row, k) => (
              <MessageRow key={k} row={row} />
            ))}
          </ol>
        </section>
      ))}
    </div>
  );
}

function MessageRow({ row: { kind, title, text } }: { row: ThreadRow }) {
  const Icon = ICONS[kind];
  return (
    <li className="conversation__message">
      <span className="conversation__icon" aria-hidden="true">
        <Icon size={15} />
      </span>
      <div className="conversation__text">
        <span className="visually-hidden">{ROLES[kind]}: </span>
        {title !== null && <code className="tag">{title}</code>} {text}
      </div>
    </li>
  );
}
