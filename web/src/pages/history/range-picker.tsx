import { SegmentedControl } from '../../ui/segmented-control.tsx';
import { RANGES, type Range } from './statistics.ts';
import { t } from '../../i18n/index.ts';

export function RangePicker({ value, onChange }: { value: Range; onChange: (range: Range) => void }) {
  return (
    <SegmentedControl
      label={t('Range')}
      value={value}
      options={(Object.keys(RANGES) as Range[]).map((range) => ({
        value: range,
        label: RANGES[range].label,
      }))}
      onChange={onChange}
    />
  );
}
