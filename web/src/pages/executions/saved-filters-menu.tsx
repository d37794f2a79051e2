import { Bookmark, Check, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useStore } from '../../data/store.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../../ui/overlays/menu.tsx';
import { isFiltered, isSameFilter, NO_FILTERS, type Filters } from './execution-filters.ts';
import { deleteFilter, savedFilters, saveFilter } from './saved-filters.ts';
import { t } from '../../i18n/index.ts';

/** Applies, saves and deletes named filters. */
export function SavedFiltersMenu({
  filters,
  onApply,
}: {
  filters: Filters;
  onApply: (filters: Filters) => void;
}) {
  const saved = useStore(savedFilters);
  const [isSaving, setIsSaving] = useState(false);
  const current = saved.find((one) => isSameFilter(one.filters, filters));
  const canSave = current === undefined && isFiltered({ ...filters, before: '' });
  return (
    <>
      <Menu
        align="start"
        trigger={<Button icon={<Bookmark size={14} />}>{current?.name ?? t('Saved filters')}</Button>}
      >
        {saved.length === 0 && <MenuLabel>{t('No saved filters')}</MenuLabel>}
        {saved.map((one) => (
          <MenuItem
            key={one.name}
            icon={one === current ? <Check size={14} /> : <Bookmark size={14} />}
            onSelect={() => onApply(one.filters)}
          >
            {one.name}
          </MenuItem>
        ))}
        <MenuSeparator />
        <MenuItem disabled={!canSave} onSelect={() => setIsSaving(true)}>
          {t('Save current filters…')}
        </MenuItem>
        {current !== undefined && (
          <MenuItem
            isDanger
            icon={<Trash2 size={14} />}
            onSelect={() => {
              deleteFilter(current.name);
              onApply(NO_FILTERS);
            }}
          >
            {t('Delete “{{name}}”', { name: current.name })}
          </MenuItem>
        )}
      </Menu>
      {isSaving && <SaveDialog filters={filters} onClose={() => setIsSaving(false)} />}
    </>
  );
}

function SaveDialog({ filters, onClose }: { filters: Filters; onClose: () => void }) {
  const [name, setName] = useState('');
  const [error, setError] = useState<string | null>(null);
  const save = (): void => {
    if (name.trim() === '') return setError(t('A name is required.'));
    saveFilter(name.trim(), filters);
    onClose();
  };
  return (
    <Dialog
      isOpen
      title={t('Save filters')}
      description={t('The filters are saved in this browser.')}
      onClose={onClose}
      onSubmit={save}
      foot={
        <>
          <span className="grow" />
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button type="submit" variant="primary">
            {t('Save')}
          </Button>
        </>
      }
    >
      <TextField
        label={t('Name')}
        maxLength={60}
        value={name}
        error={error}
        onChange={({ target }) => {
          setName(target.value);
          setError(null);
        }}
      />
    </Dialog>
  );
}
