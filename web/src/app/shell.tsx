import { Menu as MenuIcon, PanelLeftClose, PanelLeftOpen } from 'lucide-react';
import { Dialog as RadixDialog } from 'radix-ui';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { browserStorage } from '../data/browser-storage.ts';
import { useCurrentUser } from '../data/current-user.ts';
import { IconButton } from '../ui/button.tsx';
import { AccountMenu } from './account-menu.tsx';
import { Brand } from './brand.tsx';
import { ConnectionBanner } from './connection-banner.tsx';
import { Navigation } from './navigation.tsx';
import { t } from '../i18n/index.ts';

const SIDEBAR_KEY = 'weft.rail';

/** The layout of every page. On the canvas the sidebar is collapsed. */
export function Shell({ children }: { children: ReactNode }) {
  const [location] = useLocation();
  const [isChosenRail, setIsChosenRail] = useState(() => browserStorage.get(SIDEBAR_KEY) === 'yes');
  const isCanvas = /^\/(?:workflows\/(?!deleted$)|executions\/)[^/]+/.test(location);
  const isRail = isCanvas || isChosenRail;
  const main = useRef<HTMLElement>(null);
  const before = useRef(location);

  // As with a new document, scroll and focus start at the top of the page.
  useEffect(() => {
    if (before.current === location) return;
    before.current = location;
    scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
  }, [location]);

  return (
    <div className={isRail ? 'shell shell--rail' : 'shell'}>
      <a className="skip button" href="#main">
        {t('Skip to content')}
      </a>
      <Sidebar
        isRail={isRail}
        onRail={
          isCanvas
            ? undefined
            : (next) => {
                browserStorage.set(SIDEBAR_KEY, next ? 'yes' : null);
                setIsChosenRail(next);
              }
        }
      />
      <TopBar />
      <main className="shell__main" id="main" tabIndex={-1} ref={main}>
        <ConnectionBanner />
        {children}
      </main>
    </div>
  );
}

function Sidebar({
  isRail,
  onRail,
  onGo,
}: {
  isRail: boolean;
  onRail?: ((isRail: boolean) => void) | undefined;
  onGo?: (() => void) | undefined;
}) {
  const me = useCurrentUser();
  return (
    <div className="sidebar">
      <div className="sidebar__head">
        <Brand />
        {onRail !== undefined && (
          <IconButton
            size="small"
            label={isRail ? t('Expand sidebar') : t('Collapse sidebar')}
            icon={isRail ? <PanelLeftOpen size={16} /> : <PanelLeftClose size={16} />}
            onClick={() => onRail(!isRail)}
          />
        )}
      </div>
      <Navigation isAdmin={me?.role === 'admin'} isRail={isRail} onGo={onGo} />
      <div className="sidebar__foot">
        <AccountMenu />
      </div>
    </div>
  );
}

/** Replaces the sidebar on narrow screens. */
function TopBar() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <header className="topbar">
      <RadixDialog.Root open={isOpen} onOpenChange={setIsOpen}>
        <RadixDialog.Trigger asChild>
          <IconButton label={t('Menu')} icon={<MenuIcon size={18} />} />
        </RadixDialog.Trigger>
        <RadixDialog.Portal>
          <RadixDialog.Overlay className="scrim" />
          <RadixDialog.Content className="drawer" aria-describedby={undefined}>
            <RadixDialog.Title className="visually-hidden">{t('Menu')}</RadixDialog.Title>
            <Sidebar isRail={false} onGo={() => setIsOpen(false)} />
          </RadixDialog.Content>
        </RadixDialog.Portal>
      </RadixDialog.Root>
      <Brand />
      <span />
    </header>
  );
}
