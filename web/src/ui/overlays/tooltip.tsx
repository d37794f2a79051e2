import { Tooltip as Radix } from 'radix-ui';
import type { ReactNode } from 'react';

export const TooltipProvider = Radix.Provider;

/**
 * Escape presses that a tooltip handled as the topmost layer. The surrounding dialog or menu checks this
 * before it closes.
 */
const taken = new WeakSet<Event>();

export function isTakenByTooltip({ nativeEvent }: { readonly nativeEvent: Event }): boolean {
  return taken.has(nativeEvent);
}

/** A tooltip. The control needs its own accessible name, because touch screens show no tooltips. */
export function Tooltip({
  text,
  side = 'top',
  children,
}: {
  text: ReactNode;
  side?: 'top' | 'right' | 'bottom' | 'left';
  children: ReactNode;
}) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          className="tooltip"
          side={side}
          sideOffset={6}
          collisionPadding={8}
          onEscapeKeyDown={(event) => taken.add(event)}
        >
          {text}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
