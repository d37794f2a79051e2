import { ToggleGroup } from 'radix-ui';

/** A choice of a few options that are all visible. */
export function SegmentedControl<T extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: T;
  options: readonly { value: T; label: string }[];
  onChange: (value: T) => void;
}) {
  return (
    <ToggleGroup.Root
      type="single"
      className="segments"
      aria-label={label}
      value={value}
      onValueChange={(next) => {
        // Pressing the selected option again must not clear the selection.
        if (next !== '') onChange(next as T);
      }}
    >
      {options.map((option) => (
        <ToggleGroup.Item
          key={option.value}
          className="segments__item"
          value={option.value}
          // Screen readers announce them as radio buttons, which the arrow keys select.
          onFocus={() => option.value !== value && onChange(option.value)}
        >
          {option.label}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}
