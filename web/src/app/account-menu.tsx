import { BookOpen, Languages, LogOut, Monitor, Moon, Sun, UserRound } from 'lucide-react';
import { useLocation } from 'wouter';
import { logOut } from '../data/client.ts';
import { toErrorText } from '../data/error-text.ts';
import { useCurrentUser } from '../data/current-user.ts';
import { useStore } from '../data/store.ts';
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../ui/overlays/menu.tsx';
import { toast } from '../ui/overlays/toast.tsx';
import { chooseLanguage } from '../i18n/choose-language.ts';
import { language, LANGUAGES, t } from '../i18n/index.ts';
import { chooseTheme, theme, type Theme } from '../data/theme.ts';

const THEMES: readonly { value: Theme; label: string; icon: typeof Sun }[] = [
  { value: 'system', label: t('System'), icon: Monitor },
  { value: 'light', label: t('Light'), icon: Sun },
  { value: 'dark', label: t('Dark'), icon: Moon },
];

export function signOut(): void {
  logOut().catch((error: unknown) =>
    toast({ tone: 'bad', title: t('You are still signed in'), text: toErrorText(error) }),
  );
}

export function AccountMenu() {
  const me = useCurrentUser();
  const selectedTheme = useStore(theme);
  const [, navigate] = useLocation();
  const displayName = me === null ? '' : me.name === '' ? me.email : me.name;
  return (
    <Menu
      align="start"
      trigger={
        <button type="button" className="account">
          <span className="visually-hidden">{t('Account menu of')} </span>
          <span className="account__face" aria-hidden="true">
            {displayName.slice(0, 2)}
          </span>
          <span className="account__words grow">
            <span className="account__name truncate">{displayName}</span>
            {displayName !== me?.email && <span className="account__mail truncate">{me?.email}</span>}
          </span>
        </button>
      }
    >
      <MenuItem icon={<UserRound size={15} />} onSelect={() => navigate('/settings/account')}>
        {t('Account')}
      </MenuItem>
      <MenuItem icon={<BookOpen size={15} />} onSelect={() => open('/v1/docs', '_blank', 'noopener')}>
        {t('API documentation')}
      </MenuItem>
      <MenuSeparator />
      <MenuLabel>{t('Theme')}</MenuLabel>
      {THEMES.map(({ value, label, icon: Icon }) => (
        <MenuItem key={value} icon={<Icon size={15} />} onSelect={() => chooseTheme(value)}>
          <span className="grow">{label}</span>
          {selectedTheme === value && <span aria-label={t('selected')}>✓</span>}
        </MenuItem>
      ))}
      <MenuSeparator />
      <MenuLabel>{t('Language')}</MenuLabel>
      {LANGUAGES.map(({ value, name }) => (
        <MenuItem key={value} icon={<Languages size={15} />} onSelect={() => chooseLanguage(value)}>
          <span className="grow" lang={value}>
            {name}
          </span>
          {language === value && <span aria-label={t('selected')}>✓</span>}
        </MenuItem>
      ))}
      <MenuSeparator />
      <MenuItem icon={<LogOut size={15} />} onSelect={signOut}>
        {t('Sign out')}
      </MenuItem>
    </Menu>
  );
}
