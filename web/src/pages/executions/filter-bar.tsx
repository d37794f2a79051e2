import { X } from 'lucide-react';
import { useCallback } from 'react';
import type { Choice } from '../../node-panel/form/form-context.ts';
import { Button } from '../../ui/button.tsx';
import { Input } from '../../ui/field.tsx';
import { FilterSelect } from '../../ui/lists/filter-select.tsx';
import { SearchField } from '../../ui/lists/search-field.tsx';
import { NO_FILTERS, isFiltered, TIME_RANGES, STATUSES, type Filters } from './execution-filters.ts';
import { SavedFiltersMenu } from './saved-filters-menu.tsx';
import { formatStatus, TRIGGERS } from '../../data/words.ts';
import { locale, t } from '../../i18n/index.ts';

const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });

export function FilterBar({
  filters,
  workflows,
  onChange,
}: {
  filters: Filters;
  workflows: readonly Choice[];
  onChange: (changes: Partial<Filters>) => void;
}) {
  const { status, workflow, since, from, to, trigger, before } = filters;
  const isKnown = workflow === '' || workflows.some(({ value }) => value === workflow);
  const onSearch = useCallback((q: string) => onChange({ q, before: '' }), [onChange]);
  const onNode = useCallback((node: string) => onChange({ node, before: '' }), [onChange]);
  return (
    <div className="toolbar execution-filters">
      <SearchField label={t('Search by id or error')} value={filters.q} onChange={onSearch} />
      <SavedFiltersMenu filters={filters} onApply={onChange} />
      <FilterSelect
        label={t('Status')}
        any={t('Any status')}
        value={status}
        options={STATUSES.map((one) => [one, capitalize(formatStatus(one))])}
        onChange={(next) => onChange({ status: next, before: '' })}
      />
      {isKnown ? (
        <FilterSelect
          label={t('Workflow')}
          any={t('Any workflow')}
          value={workflow}
          options={workflows.map(({ value, label }) => [value, label])}
          onChange={(next) => onChange({ workflow: next, before: '' })}
        />
      ) : (
        <Input aria-label={t('Workflow')} value={workflow} readOnly />
      )}
      <FilterSelect
        label={t('Started by')}
        any={t('Any trigger')}
        value={trigger}
        options={Object.entries(TRIGGERS)}
        onChange={(next) => onChange({ trigger: next, before: '' })}
      />
      <FilterSelect
        label={t('Time')}
        any={t('Any time')}
        value={since}
        options={TIME_RANGES.map(([name, label]) => [name, label])}
        onChange={(next) => onChange({ since: next, from: '', to: '', before: '' })}
      />
      <SearchField label={t('Failed node')} hasShortcut={false} value={filters.node} onChange={onNode} />
      {(from !== '' || to !== '') && (
        <button type="button" className="tag" onClick={() => onChange({ from: '', to: '', before: '' })}>
          <span className="truncate">{rangeText(from, to)}</span>
          <X size={11} aria-hidden="true" />
          <span className="visually-hidden">: {t('clear time range')}</span>
        </button>
      )}
      {before !== '' && (
        <button type="button" className="tag" onClick={() => onChange({ before: '' })}>
          <span className="truncate">
            {t('Before {{time}}', { time: dateTime.format(Date.parse(before)) })}
          </span>
          <X size={11} aria-hidden="true" />
          <span className="visually-hidden">: {t('clear time filter')}</span>
        </button>
      )}
      {isFiltered(filters) && (
        <Button variant="quiet" onClick={() => onChange(NO_FILTERS)}>
          {t('Clear filters')}
        </Button>
      )}
    </div>
  );
}

const capitalize = (word: string): string => word.charAt(0).toLocaleUpperCase(locale) + word.slice(1);

/** One of the two is not empty. */
function rangeText(from: string, to: string): string {
  if (from === '') return t('Before {{time}}', { time: dateTime.format(Date.parse(to)) });
  if (to === '') return t('Since {{time}}', { time: dateTime.format(Date.parse(from)) });
  return dateTime.formatRange(Date.parse(from), Date.parse(to));
}
