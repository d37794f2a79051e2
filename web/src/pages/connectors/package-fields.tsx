import type { InstallPackInput } from 'weft-client';
import { toFieldError } from '../../data/error-text.ts';
import { TextField } from '../../ui/field.tsx';
import { t } from '../../i18n/index.ts';

/** A package of npm, as entered. */
export type PackageEntry = {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
};

export const PACKAGE_FIELDS = ['package', 'version', 'integrity'] as const;

export function toPackageInput({ name, version, integrity }: PackageEntry): InstallPackInput {
  return {
    package: name.trim(),
    version: version.trim(),
    ...(integrity.trim() === '' ? {} : { integrity: integrity.trim() }),
  };
}

/** The name, the exact version and the integrity of a package. */
export function PackageFields({
  entry,
  error,
  isNameFixed,
  onChange,
}: {
  entry: PackageEntry;
  error: unknown;
  isNameFixed: boolean;
  onChange: (entry: PackageEntry) => void;
}) {
  return (
    <>
      <TextField
        label={t('Package')}
        className="input--mono"
        spellCheck={false}
        required
        readOnly={isNameFixed}
        value={entry.name}
        placeholder="@activepieces/piece-slack"
        hint={t('An npm package with actions, which run in a process of their own.')}
        error={toFieldError(error, 'package')}
        onChange={({ target }) => onChange({ ...entry, name: target.value })}
      />
      <TextField
        label={t('Version')}
        className="input--mono"
        spellCheck={false}
        required
        value={entry.version}
        hint={t('Exactly this version: major.minor.patch.')}
        error={toFieldError(error, 'version')}
        onChange={({ target }) => onChange({ ...entry, version: target.value })}
      />
      <TextField
        label={t('Integrity')}
        isOptional
        className="input--mono"
        spellCheck={false}
        value={entry.integrity}
        placeholder="sha512-…"
        hint={t('Needed when the registry publishes no signing keys.')}
        error={toFieldError(error, 'integrity')}
        onChange={({ target }) => onChange({ ...entry, integrity: target.value })}
      />
    </>
  );
}
