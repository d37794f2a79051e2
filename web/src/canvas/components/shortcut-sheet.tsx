import { Dialog } from '../../ui/overlays/dialog.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { useCanvas, useStoreSelector } from './canvas-context.ts';
import { shortcutSheet } from './shortcuts.ts';
import { t } from '../../i18n/index.ts';

const isMac = /mac/i.test(navigator.userAgent);
const formatKey = (key: string): string => (key === 'Mod' ? (isMac ? '⌘' : 'Ctrl') : key);

export function ShortcutSheet() {
  const { ui } = useCanvas();
  const isOpen = useStoreSelector(ui, (state) => state.areShortcutsOpen);
  return (
    <Dialog
      isOpen={isOpen}
      onClose={() => ui.show({ areShortcutsOpen: false })}
      title={t('Keyboard shortcuts')}
      size="wide"
    >
      <div className="sheet">
        {shortcutSheet.map(({ title, shortcuts }) => (
          <section key={title}>
            <h3 className="sheet__title">{title}</h3>
            <dl>
              {shortcuts.map(({ keys, does }) => (
                <div key={does} className="sheet__row">
                  <dt>
                    {keys.map((key) => (
                      <Kbd key={key}>{formatKey(key)}</Kbd>
                    ))}
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
