import { DropdownMenu as Radix } from 'radix-ui';
import { useState, type ReactNode } from 'react';
import { joinClassNames } from '../class-names.ts';
import { isTakenByTooltip } from './tooltip.tsx';

/** A dropdown menu; `trigger` is its button. */
export function Menu({
  trigger,
  children,
  align = 'end',
}: {
  trigger: ReactNode;
  children: ReactNode;
  align?: 'start' | 'end';
}) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Radix.Root open={isOpen} onOpenChange={setIsOpen}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          className="menu"
          align={align}
          sideOffset={4}
          collisionPadding={8}
          loop
          onKeyDown={(event) => {
            if (isTakenByTooltip(event)) setIsOpen(false);
          }}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

export function MenuItem({
  icon,
  children,
  onSelect,
  isDanger = false,
  disabled = false,
}: {
  icon?: ReactNode;
  children: ReactNode;
  onSelect: () => void;
  isDanger?: boolean;
  disabled?: boolean;
}) {
  return (
    <Radix.Item
      className={joinClassNames('menu__item', isDanger && 'menu__item--danger')}
      disabled={disabled}
      onSelect={onSelect}
    >
      {icon}
      {children}
    </Radix.Item>
  );
}

export function MenuSeparator() {
  return <Radix.Separator className="menu__separator" />;
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return <Radix.Label className="menu__label">{children}</Radix.Label>;
}
