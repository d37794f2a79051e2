import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { IconButton } from './button.tsx';
import { classNames } from './class-names.ts';

export type DialogProps = {
  isOpen: boolean;
  onClose: () => void;
  title: ReactNode;
  description?: ReactNode;
  size?: 'normal' | 'wide' | 'huge';
  /** Below the body, always in sight. */
  foot?: ReactNode;
  /** It is a form: Enter submits, and the foot's submit button belongs to it. */
  onSubmit?: (() => void) | undefined;
  /** Only its own buttons end it, as where a thing is shown that is never shown again. */
  isSticky?: boolean;
  children?: ReactNode;
};

const FIRST =
  '[autofocus], .dialog__body :is(input, select, textarea):not([type=hidden], [type=file]), .dialog__foot .button';

/** Focus goes in, stays in, and comes back to where it was. */
export function Dialog({
  isOpen,
  onClose,
  title,
  description,
  size = 'normal',
  foot,
  onSubmit,
  isSticky = false,
  children,
}: DialogProps) {
  const inside = (
    <>
      {children !== undefined && <div className="dialog__body">{children}</div>}
      {foot !== undefined && <div className="dialog__foot">{foot}</div>}
    </>
  );
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="scrim" />
        <Radix.Content
          className={classNames('dialog', size !== 'normal' && `dialog--${size}`)}
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
          onOpenAutoFocus={(event) => {
            // Where one writes first, or the dialog itself, rather than the way out.
            const dialog = event.target as HTMLElement;
            event.preventDefault();
            (dialog.querySelector<HTMLElement>(FIRST) ?? dialog).focus();
          }}
          onInteractOutside={(event) => {
            // Toasts lie outside, and are no reason to go.
            const target = event.target as HTMLElement | null;
            if (isSticky || target?.closest('.toasts') != null) event.preventDefault();
          }}
          onEscapeKeyDown={(event) => isSticky && event.preventDefault()}
        >
          <div className="dialog__head">
            <div className="dialog__titles">
              <Radix.Title className="dialog__title">{title}</Radix.Title>
              {description !== undefined && (
                <Radix.Description className="dialog__description">{description}</Radix.Description>
              )}
            </div>
            {!isSticky && (
              <Radix.Close asChild>
                <IconButton className="dialog__close" label="Close" icon={<X size={16} />} size="small" />
              </Radix.Close>
            )}
          </div>
          {onSubmit === undefined ? (
            inside
          ) : (
            <form
              className="dialog__form"
              noValidate
              onSubmit={(event) => {
                event.preventDefault();
                event.stopPropagation();
                onSubmit();
              }}
            >
              {inside}
            </form>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
