import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import { useRef, type ReactNode } from 'react';
import { IconButton } from '../button.tsx';
import { joinClassNames } from '../class-names.ts';
import { isTakenByTooltip } from './tooltip.tsx';
import { t } from '../../i18n/index.ts';

export type DialogProps = {
  isOpen: boolean;
  onClose: () => void;
  title: ReactNode;
  description?: ReactNode;
  size?: 'normal' | 'wide' | 'huge';
  /** Below the body, always visible. */
  foot?: ReactNode;
  /** The dialog is a form: Enter submits it, and the submit button in the footer belongs to it. */
  onSubmit?: (() => void) | undefined;
  /** Only its own buttons close it, as for a secret that is shown once. */
  isSticky?: boolean;
  children?: ReactNode;
};

const FIRST_FIELD_SELECTOR =
  '[autofocus], .dialog__body :is(input, select, textarea):not([type=hidden], [type=file]), .dialog__foot .button';

/** The element that regains the focus: for a menu item the button of its menu, which is closed by then. */
function findOpener(element: Element | null): HTMLElement | null {
  const button = element?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  const opener = button == null ? element : document.getElementById(button);
  return opener instanceof HTMLElement && opener !== document.body ? opener : null;
}

/** Moves the focus into the dialog, traps it, and restores it on close. */
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
  // During the first render the focus has not moved yet.
  if (isOpen && !wasOpen.current) opener.current = findOpener(document.activeElement);
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
          className={joinClassNames('dialog', size !== 'normal' && `dialog--${size}`)}
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
          onOpenAutoFocus={(event) => {
            // Focus the first input, or the dialog itself, rather than the close button.
            const dialog = event.target as HTMLElement;
            event.preventDefault();
            (dialog.querySelector<HTMLElement>(FIRST_FIELD_SELECTOR) ?? dialog).focus();
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            // The focus may have moved elsewhere on purpose.
            const { activeElement } = document;
            if (activeElement === null || activeElement === document.body)
              opener.current?.focus({ preventScroll: true });
          }}
          onInteractOutside={(event) => {
            // Toasts are outside of the dialog and must not close it.
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
                <IconButton
                  className="dialog__close"
                  label={t('Close')}
                  icon={<X size={16} />}
                  size="small"
                />
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
