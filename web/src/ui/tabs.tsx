import { Tabs as Radix } from 'radix-ui';
import type { ReactNode } from 'react';

export type Tab = {
  id: string;
  label: ReactNode;
  content: ReactNode;
  /** Rendered while another tab is shown, so that its state is kept; only with `value`. */
  isKept?: boolean;
};

/** Uncontrolled without `value`. */
export function Tabs({
  tabs,
  label,
  value,
  onChange,
}: {
  tabs: readonly Tab[];
  /** The accessible name of the tab list. */
  label: string;
  value?: string | undefined;
  onChange?: ((id: string) => void) | undefined;
}) {
  const first = tabs[0]?.id ?? '';
  return (
    <Radix.Root
      className="tabs"
      {...(value === undefined ? { defaultValue: first } : { value })}
      {...(onChange === undefined ? {} : { onValueChange: onChange })}
    >
      <Radix.List className="tabs__list" aria-label={label}>
        {tabs.map((tab) => (
          <Radix.Trigger key={tab.id} className="tabs__tab" value={tab.id}>
            {tab.label}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content
          key={tab.id}
          className="tabs__panel"
          value={tab.id}
          {...(tab.isKept === true ? { forceMount: true, hidden: tab.id !== value } : {})}
        >
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
