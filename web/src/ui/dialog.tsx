import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import { useRef, type ReactNode } from 'react';
import { IconButton } from './button.tsx';
import { classNames } from './class-names.ts';
import { isTakenByTooltip } from './tooltip.tsx';

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

/** What the focus comes back to: of a menu that led here, its button, for the menu is gone by then. */
function openerOf(element: Element | null): HTMLElement | null {
  const button = element?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  const opener = button == null ? element : document.getElementById(button);
  return opener instanceof HTMLElement && opener !== document.body ? opener : null;
}

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
  const opener = useRef<HTMLElement | null>(null);
  const wasOpen = useRef(false);
  // While it is drawn for the first time the focus is where it was.
  if (isOpen && !wasOpen.current) opener.current = openerOf(document.activeElement);
  wasOpen.current = isOpen;
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
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            // It may be elsewhere on purpose.
            const { activeElement: at } = document;
            if (at === null || at === document.body) opener.current?.focus({ preventScroll: true });
          }}
          onInteractOutside={(event) => {
            // Toasts lie outside, and are no reason to go.
            const target = event.target as HTMLElement | null;
            if (isSticky || target?.closest('.toasts') != null) event.preventDefault();
          }}
          onEscapeKeyDown={(event) => isSticky && event.preventDefault()}
          onKeyDown={(event) => {
            if (isTakenByTooltip(event) && !isSticky) onClose();
          }}
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
