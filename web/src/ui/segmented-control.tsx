import { ToggleGroup } from 'radix-ui';

/** One of a few; all of them in sight. */
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
        // Pressing the chosen one again would leave none.
        if (next !== '') onChange(next as T);
      }}
    >
      {options.map((option) => (
        <ToggleGroup.Item
          key={option.value}
          className="segments__item"
          value={option.value}
          // They are told as radio buttons, of which an arrow key chooses the next.
          onFocus={() => option.value !== value && onChange(option.value)}
        >
          {option.label}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}
