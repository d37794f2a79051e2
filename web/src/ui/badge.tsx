import type { ReactNode } from 'react';
import { formatStatus } from '../data/words.ts';
import { joinClassNames } from './class-names.ts';

export type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'busy' | 'accent' | 'plain';

export function Badge({
  tone = 'neutral',
  hasDot = false,
  isCapitalized = false,
  children,
}: {
  tone?: Tone | undefined;
  hasDot?: boolean;
  /** For lower-case values of the API, such as `running`. */
  isCapitalized?: boolean;
  children: ReactNode;
}) {
  return (
    <span
      className={joinClassNames(
        'badge',
        tone !== 'neutral' && `badge--${tone}`,
        isCapitalized && 'badge--capitalized',
      )}
    >
      {hasDot && <span className="badge__dot" aria-hidden="true" />}
      {children}
    </span>
  );
}

const TONE_BY_STATUS: Readonly<Record<string, Tone>> = {
  active: 'good',
  inactive: 'neutral',
  draft: 'plain',
  queued: 'neutral',
  pending: 'plain',
  running: 'busy',
  waiting: 'warn',
  completed: 'good',
  failed: 'bad',
  stopped: 'neutral',
  skipped: 'plain',
  ok: 'good',
  degraded: 'bad',
};

/** The status of a workflow, execution or node run, in the same colour on every page. */
export function StatusBadge({ status }: { status: string }) {
  return (
    <Badge tone={TONE_BY_STATUS[status] ?? 'neutral'} hasDot isCapitalized>
      {formatStatus(status)}
    </Badge>
  );
}
