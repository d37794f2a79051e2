import { Tooltip as Radix } from 'radix-ui';
import type { ReactNode } from 'react';

export const TooltipProvider = Radix.Provider;

/**
 * Escape is meant for the dialog or menu that the control is in, whether or not a tooltip happens to be in sight. Only the
 * uppermost layer is told of the key, so it is told to the next one when the tooltip is gone; the element that has the focus
 * has heard of it already.
 */
function passOn(): void {
  const again = new KeyboardEvent('keydown', { key: 'Escape', cancelable: true });
  setTimeout(() => document.dispatchEvent(again));
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
          onEscapeKeyDown={passOn}
        >
          {text}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
