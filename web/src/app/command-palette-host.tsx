import { Suspense, useEffect, useRef, useState } from 'react';
import { Lazy } from '../ui/lazy.tsx';
import { createLazyComponent } from '../ui/lazy-component.tsx';
import { t } from '../i18n/index.ts';

const CommandPalette = createLazyComponent(
  async () => (await import('./command-palette.tsx')).CommandPalette,
);
const CreateDialog = createLazyComponent(
  async () => (await import('../pages/workflows/create-dialog.tsx')).CreateDialog,
);

/** Opens the command palette with Ctrl+K or ⌘K on every page. */
export function CommandPaletteHost() {
  const [open, setOpen] = useState<'palette' | 'create' | null>(null);
  const [typed, setTyped] = useState('');
  const opener = useRef<Element | null>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      if (event.altKey || event.shiftKey) return;
      event.preventDefault();
      event.stopPropagation();
      // A modal dialog keeps the focus.
      if (document.querySelector('.dialog, .drawer') !== null) return;
      setOpen((now) => {
        if (now === null) opener.current = document.activeElement;
        return now === null ? 'palette' : now;
      });
    };
    addEventListener('keydown', onKey, true);
    return () => removeEventListener('keydown', onKey, true);
  }, []);
  const close = (): void => {
    setOpen(null);
    setTyped('');
    if (opener.current instanceof HTMLElement) opener.current.focus({ preventScroll: true });
  };
  return (
    <>
      {open === 'palette' && (
        <Suspense fallback={<PaletteLoading onText={setTyped} />}>
          <CommandPalette initialText={typed} onClose={close} onCreate={() => setOpen('create')} />
        </Suspense>
      )}
      <Lazy>{open === 'create' && <CreateDialog onClose={() => setOpen(null)} />}</Lazy>
    </>
  );
}

/** Collects the typed keys until the palette is loaded, so that the focused field does not receive them. */
function PaletteLoading({ onText }: { onText: (text: string) => void }) {
  return (
    <input
      className="visually-hidden"
      aria-label={t('Command palette')}
      autoFocus
      onChange={({ target }) => onText(target.value)}
      onKeyDown={(event) => event.stopPropagation()}
    />
  );
}
