import { X } from 'lucide-react';
import { useCallback } from 'react';
import type { Choice } from '../../node-panel/form/form-context.ts';
import { Button } from '../../ui/button.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { NO_FILTERS, isFiltered, SINCE, STATUSES, TRIGGERS, type Filters } from './execution-filters.ts';
import { SavedFiltersMenu } from './saved-filters-menu.tsx';

const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

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
      <SearchField label="Search by id or error" value={filters.q} onChange={onSearch} />
      <SavedFiltersMenu filters={filters} onApply={onChange} />
      <Choices
        label="Status"
        any="Any status"
        value={status}
        options={STATUSES.map((one) => [one, one.charAt(0).toUpperCase() + one.slice(1)])}
        onChange={(next) => onChange({ status: next, before: '' })}
      />
      {isKnown ? (
        <Choices
          label="Workflow"
          any="Any workflow"
          value={workflow}
          options={workflows.map(({ value, label }) => [value, label])}
          onChange={(next) => onChange({ workflow: next, before: '' })}
        />
      ) : (
        <Input aria-label="Workflow" value={workflow} readOnly />
      )}
      <Choices
        label="Started by"
        any="Any trigger"
        value={trigger}
        options={Object.entries(TRIGGERS)}
        onChange={(next) => onChange({ trigger: next, before: '' })}
      />
      <Choices
        label="Time"
        any="Any time"
        value={since}
        options={SINCE.map(([name, label]) => [name, label])}
        onChange={(next) => onChange({ since: next, from: '', to: '', before: '' })}
      />
      <SearchField label="Failed node" hasShortcut={false} value={filters.node} onChange={onNode} />
      {(from !== '' || to !== '') && (
        <button type="button" className="tag" onClick={() => onChange({ from: '', to: '', before: '' })}>
          <span className="truncate">{rangeText(from, to)}</span>
          <X size={11} aria-hidden="true" />
          <span className="visually-hidden">: clear time range</span>
        </button>
      )}
      {before !== '' && (
        <button type="button" className="tag" onClick={() => onChange({ before: '' })}>
          <span className="truncate">Before {dateTime.format(Date.parse(before))}</span>
          <X size={11} aria-hidden="true" />
          <span className="visually-hidden">: clear time filter</span>
        </button>
      )}
      {isFiltered(filters) && (
        <Button look="quiet" onClick={() => onChange(NO_FILTERS)}>
          Clear filters
        </Button>
      )}
    </div>
  );
}

/** One of the two is not empty. */
function rangeText(from: string, to: string): string {
  if (from === '') return `Before ${dateTime.format(Date.parse(to))}`;
  if (to === '') return `Since ${dateTime.format(Date.parse(from))}`;
  return dateTime.formatRange(Date.parse(from), Date.parse(to));
}

function Choices({
  label,
  any,
  value,
  options,
  onChange,
}: {
  label: string;
  any: string;
  value: string;
  options: readonly (readonly [value: string, label: string])[];
  onChange: (value: string) => void;
}) {
  return (
    <Select aria-label={label} value={value} onChange={({ target }) => onChange(target.value)}>
      <option value="">{any}</option>
      {options.map(([one, text]) => (
        <option key={one} value={one}>
          {text}
        </option>
      ))}
    </Select>
  );
}
