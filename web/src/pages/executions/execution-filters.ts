import type { ListExecutionsQuery } from 'weft-client';
import { TRIGGERS } from '../../data/words.ts';
import { t } from '../../i18n/index.ts';

export const STATUSES = ['queued', 'running', 'waiting', 'completed', 'failed', 'stopped'] as const;
type Trigger = keyof typeof TRIGGERS;

/** The options of the time filter; spans in ms. */
export const TIME_RANGES: readonly (readonly [name: string, label: string, ms: number])[] = [
  ['hour', t('Last hour'), 3_600_000],
  ['day', t('Last 24 hours'), 86_400_000],
  ['week', t('Last 7 days'), 7 * 86_400_000],
];
/** The start of a span is rounded down, so that the query key stays the same for a minute. */
const SPAN_START_STEP_MS = 60_000;

/**
 * The filters in the URL. `from` and `to` are an interval of the run history; `before` continues a search
 * that stopped at its limit.
 */
export const FILTER_NAMES = [
  'q',
  'status',
  'workflow',
  'since',
  'from',
  'to',
  'trigger',
  'node',
  'before',
] as const;
export type Filters = Readonly<Record<(typeof FILTER_NAMES)[number], string>>;

export const NO_FILTERS: Filters = {
  q: '',
  status: '',
  workflow: '',
  since: '',
  from: '',
  to: '',
  trigger: '',
  node: '',
  before: '',
};

/** Values that no option has are ignored. */
export function readFilters(get: (name: string) => string): Filters {
  const readOption = (name: string, values: readonly string[]): string => {
    const value = get(name);
    return values.includes(value) ? value : '';
  };
  return {
    q: get('q'),
    status: readOption('status', STATUSES),
    workflow: get('workflow'),
    since: readOption(
      'since',
      TIME_RANGES.map(([name]) => name),
    ),
    from: readTime(get('from')),
    to: readTime(get('to')),
    trigger: readOption('trigger', Object.keys(TRIGGERS)),
    node: get('node'),
    before: readTime(get('before')),
  };
}

function readTime(text: string): string {
  return Number.isNaN(Date.parse(text)) ? '' : text;
}

export function isFiltered(filters: Filters): boolean {
  return FILTER_NAMES.some((name) => filters[name] !== '');
}

/** Compares what a saved filter contains. */
export function isSameFilter(a: Filters, b: Filters): boolean {
  return FILTER_NAMES.every((name) => name === 'before' || a[name] === b[name]);
}

export function toQuery(filters: Filters, now: number): ListExecutionsQuery {
  const { q, status, workflow, from, to, trigger, node, before } = filters;
  const span = TIME_RANGES.find(([name]) => name === filters.since)?.[2];
  return {
    ...(q === '' ? {} : { q }),
    ...(status === '' ? {} : { status: status as (typeof STATUSES)[number] }),
    ...(workflow === '' ? {} : { workflow_id: workflow }),
    ...(trigger === '' ? {} : { trigger: trigger as Trigger }),
    ...(node === '' ? {} : { node_id: node }),
    ...(span === undefined ? {} : { from: formatSpanStart(now - span) }),
    ...(from === '' ? {} : { from }),
    ...(to === '' ? {} : { to }),
    ...(before === '' ? {} : { to: before }),
  };
}

function formatSpanStart(time: number): string {
  return new Date(Math.floor(time / SPAN_START_STEP_MS) * SPAN_START_STEP_MS).toISOString();
}
