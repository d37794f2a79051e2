import type { ComponentProps, ReactNode } from 'react';
import { Link } from 'wouter';
import { joinClassNames } from './class-names.ts';
import { Tooltip } from './overlays/tooltip.tsx';

export type ButtonVariant = 'plain' | 'primary' | 'quiet' | 'danger' | 'danger-solid';

type ButtonAppearance = { variant?: ButtonVariant | undefined; size?: 'medium' | 'small' | undefined };

const getClass = ({ variant = 'plain', size = 'medium' }: ButtonAppearance, more?: string): string =>
  joinClassNames(
    'button',
    variant !== 'plain' && `button--${variant}`,
    size === 'small' && 'button--small',
    more,
  );

export type ButtonProps = ComponentProps<'button'> &
  ButtonAppearance & {
    icon?: ReactNode;
    /** The action is running: the button shows it and ignores clicks, but stays focusable. */
    isBusy?: boolean | undefined;
  };

export function Button({
  variant,
  size,
  icon,
  isBusy = false,
  className,
  children,
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      {...(isBusy ? { 'aria-disabled': true, 'aria-busy': true } : {})}
      onClick={(event) => {
        if (isBusy) event.preventDefault();
        else onClick?.(event);
      }}
      className={getClass({ variant, size }, className)}
    >
      {isBusy ? <span className="spinner" aria-hidden="true" /> : icon}
      {children}
    </button>
  );
}

export type IconButtonProps = Omit<ButtonProps, 'children' | 'icon'> & {
  /** The accessible name, which is also the tooltip. */
  label: string;
  icon: ReactNode;
};

export function IconButton({ label, icon, variant = 'quiet', size, className, ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label}>
      <Button
        {...rest}
        variant={variant}
        size={size}
        icon={icon}
        aria-label={label}
        className={joinClassNames('button--icon', className)}
      />
    </Tooltip>
  );
}

/** A link that looks like a button. */
export function ButtonLink({
  href,
  variant,
  size,
  icon,
  children,
  className,
  ...rest
}: Omit<ComponentProps<'a'>, 'href' | 'ref'> & ButtonAppearance & { href: string; icon?: ReactNode }) {
  return (
    <Link href={href} {...rest} className={getClass({ variant, size }, className)}>
      {icon}
      {children}
    </Link>
  );
}
