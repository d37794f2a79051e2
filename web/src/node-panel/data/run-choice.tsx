import type { NodeRun } from 'weft-client';
import { Select } from '../../ui/field.tsx';
import { formatStatus } from '../../data/words.ts';
import { t } from '../../i18n/index.ts';

/** Runs of one node offered for a choice; a loop may have thousands. */
const MAX_RUNS = 200;

/** Chooses one of several runs of a node, as of the items of a loop. */
export function RunChoice({
  runs,
  path,
  onChange,
}: {
  runs: readonly NodeRun[];
  /** Of the chosen run. */
  path: string | undefined;
  onChange: (path: string) => void;
}) {
  return (
    <label className="run-choice">
      <span>{t('Run', { context: 'noun' })}</span>
      <Select value={path} onChange={({ target }) => onChange(target.value)}>
        {runs.slice(-MAX_RUNS).map((run) => (
          <option key={run.path} value={run.path}>
            {run.path} · {formatStatus(run.status)}
          </option>
        ))}
      </Select>
      {runs.length > MAX_RUNS && (
        <span className="field__hint">
          {t('The last {{shown}} of {{total}}.', { shown: MAX_RUNS, total: runs.length })}
        </span>
      )}
    </label>
  );
}
