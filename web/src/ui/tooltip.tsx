import { Tooltip as Radix } from 'radix-ui';
import type { ReactNode } from 'react';

export const TooltipProvider = Radix.Provider;

/**
 * Presses of Escape that a tooltip took, because it is the uppermost layer. They are meant for the dialog or menu that its control is
 * in, which asks here.
 */
const taken = new WeakSet<Event>();

export function isTakenByTooltip({ nativeEvent }: { readonly nativeEvent: Event }): boolean {
  return taken.has(nativeEvent);
}

/** A word about the one control inside, which must have a name of its own: a tooltip is nothing on a touch screen. */
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
