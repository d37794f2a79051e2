import { ScrollText } from 'lucide-react';
import { memo, useEffect, useRef } from 'react';
import type { LogEntry } from 'weft-client';
import { EmptyState } from '../../ui/empty-state.tsx';
import { locale, t } from '../../i18n/index.ts';

const clock = new Intl.DateTimeFormat(locale, {
  // AM and PM do not fit into the column, whose width is the same in every locale.
  hourCycle: 'h23',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
});

/** The lines of a log. Scrolls to new lines unless the user has scrolled up. */
export function LogView({ log }: { log: readonly (LogEntry & { readonly number?: number })[] }) {
  const frame = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const element = frame.current;
    if (element !== null && isAtEnd.current) element.scrollTop = element.scrollHeight;
  }, [log]);
  if (log.length === 0)
    return (
      <EmptyState icon={<ScrollText size={18} />} title={t('No log entries yet')}>
        {t('Log entries appear while nodes run.')}
      </EmptyState>
    );
  return (
    <div
      className="log"
      ref={frame}
      tabIndex={0}
      role="log"
      aria-label={t('Log')}
      aria-live="off"
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < 24;
      }}
    >
      {log.map((entry, index) => (
        <Line key={entry.number ?? index} entry={entry} />
      ))}
    </div>
  );
}

const Line = memo(function Line({ entry }: { entry: LogEntry }) {
  return (
    <p className={`log__line log__line--${entry.level}`}>
      <time className="log__time" dateTime={entry.timestamp}>
        {clock.format(Date.parse(entry.timestamp))}
      </time>
      <span className="log__level">{entry.level}</span>
      <span className="log__node truncate">{entry.node_id ?? ''}</span>
      <span className="log__message">{entry.message}</span>
    </p>
  );
});
