import {
  AppWindow,
  Blocks,
  Cable,
  Coins,
  Gauge,
  HeartPulse,
  KeyRound,
  LibraryBig,
  LayoutTemplate,
  Inbox,
  ListVideo,
  MessagesSquare,
  Plug,
  ScrollText,
  LockKeyhole,
  UsersRound,
  Waypoints,
  type LucideIcon,
} from 'lucide-react';
import { Link, useLocation } from 'wouter';
import { useOpenDecisions } from '../data/lists.ts';
import { Tooltip } from '../ui/overlays/tooltip.tsx';
import { t } from '../i18n/index.ts';

type NavigationPage = { href: string; word: string; icon: LucideIcon; isForAdmins?: boolean };

const MAIN_PAGES: readonly NavigationPage[] = [
  { href: '/workflows', word: t('Workflows'), icon: Waypoints },
  { href: '/executions', word: t('Executions'), icon: ListVideo },
  { href: '/inbox', word: t('Inbox'), icon: Inbox },
  { href: '/threads', word: t('Threads'), icon: MessagesSquare },
  { href: '/templates', word: t('Templates'), icon: LayoutTemplate },
];

const SETTINGS: readonly NavigationPage[] = [
  { href: '/settings/connectors', word: t('Connectors'), icon: Plug },
  { href: '/settings/custom-nodes', word: t('Custom nodes'), icon: Blocks },
  { href: '/settings/connections', word: t('Connections'), icon: Cable },
  { href: '/settings/secrets', word: t('Secrets'), icon: LockKeyhole },
  { href: '/settings/api-keys', word: t('API keys'), icon: KeyRound },
  { href: '/settings/oauth-clients', word: t('OAuth clients'), icon: AppWindow },
  { href: '/settings/users', word: t('Users'), icon: UsersRound, isForAdmins: true },
  { href: '/settings/audit-log', word: t('Audit log'), icon: ScrollText, isForAdmins: true },
  { href: '/settings/usage', word: t('Usage'), icon: Gauge },
  { href: '/settings/model-usage', word: t('Model usage'), icon: Coins },
  { href: '/settings/vector-collections', word: t('Vector collections'), icon: LibraryBig },
  { href: '/settings/system', word: t('System'), icon: HeartPulse },
];

/** The pages of the navigation for a user. */
export function listPages(isAdmin: boolean): readonly NavigationPage[] {
  return [...MAIN_PAGES, ...SETTINGS].filter((page) => isAdmin || page.isForAdmins !== true);
}

/** The main navigation. The collapsed sidebar shows only icons, with tooltips. */
export function Navigation({
  isAdmin,
  isRail,
  onGo,
}: {
  isAdmin: boolean;
  isRail: boolean;
  onGo?: (() => void) | undefined;
}) {
  const draw = (pages: readonly NavigationPage[]) =>
    pages
      .filter((page) => isAdmin || page.isForAdmins !== true)
      .map((page) => <NavigationLink key={page.href} page={page} isRail={isRail} onGo={onGo} />);
  return (
    <>
      <nav className="nav" aria-label={t('Main')}>
        {draw(MAIN_PAGES)}
      </nav>
      <nav className="nav" aria-labelledby="nav-settings">
        <h2 className="nav__heading" id="nav-settings">
          {t('Settings')}
        </h2>
        {draw(SETTINGS)}
      </nav>
    </>
  );
}

function NavigationLink({
  page,
  isRail,
  onGo,
}: {
  page: NavigationPage;
  isRail: boolean;
  onGo?: (() => void) | undefined;
}) {
  const [location] = useLocation();
  const isHere = location === page.href || location.startsWith(`${page.href}/`);
  const Icon = page.icon;
  const link = (
    <Link
      href={page.href}
      className="nav__link"
      {...(isHere ? { 'aria-current': 'page' as const } : {})}
      {...(onGo === undefined ? {} : { onClick: onGo })}
    >
      <Icon size={16} aria-hidden="true" />
      <span className="nav__word">{page.word}</span>
      {page.href === '/inbox' && <OpenDecisions />}
    </Link>
  );
  return isRail ? (
    <Tooltip text={page.word} side="right">
      {link}
    </Tooltip>
  ) : (
    link
  );
}

function OpenDecisions() {
  const count = useOpenDecisions();
  if (count === 0) return null;
  return (
    <span className="nav__count" aria-label={t('{{number}} open', { number: count })}>
      {count > 99 ? '99+' : count}
    </span>
  );
}
