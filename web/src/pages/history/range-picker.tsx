import { SegmentedControl } from '../../ui/segmented-control.tsx';
import { RANGES, type Range } from './statistics.ts';

export function RangePicker({ value, onChange }: { value: Range; onChange: (range: Range) => void }) {
  return (
    <SegmentedControl
      label="Range"
      value={value}
      options={(Object.keys(RANGES) as Range[]).map((range) => ({
        value: range,
        label: RANGES[range].label,
      }))}
      onChange={onChange}
    />
  );
}
