import { Check, Maximize2, PanelBottom, PanelRight } from 'lucide-react';
import { IconButton } from '../../ui/button.tsx';
import { Menu, MenuItem } from '../../ui/overlays/menu.tsx';
import { setPanelLayout, type PanelLayout } from './panel-layout.ts';
import { t } from '../../i18n/index.ts';

const LAYOUTS = [
  { layout: 'side', label: t('Dock to the side'), Icon: PanelRight },
  { layout: 'bottom', label: t('Dock to the bottom'), Icon: PanelBottom },
  { layout: 'full', label: t('Full view'), Icon: Maximize2 },
] as const;

/** Chooses where the panel is. */
export function LayoutMenu({ layout }: { layout: PanelLayout }) {
  const { Icon: Current } = LAYOUTS.find((one) => one.layout === layout)!;
  return (
    <Menu trigger={<IconButton label={t('Panel layout')} size="small" icon={<Current size={15} />} />}>
      {LAYOUTS.map(({ layout: offered, label, Icon }) => (
        <MenuItem key={offered} icon={<Icon size={15} />} onSelect={() => setPanelLayout(offered)}>
          <span className="grow">{label}</span>
          {offered === layout && <Check size={14} aria-label={t('current')} />}
        </MenuItem>
      ))}
    </Menu>
  );
}
