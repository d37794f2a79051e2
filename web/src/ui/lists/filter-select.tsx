import { Select } from '../field.tsx';

/** A filter of a list; an empty value is no filter. */
export function FilterSelect({
  label,
  any,
  value,
  options,
  onChange,
}: {
  label: string;
  /** The label of no filter. */
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
