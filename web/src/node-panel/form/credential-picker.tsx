import { Check, ChevronDown, KeyRound, Plus, TriangleAlert } from 'lucide-react';
import { useId, useState } from 'react';
import type { ConnectedAccount } from 'weft-client';
import { ConnectionDialog } from '../../credentials/connection-dialog.tsx';
import { SecretDialog } from '../../credentials/secret-dialog.tsx';
import { CONNECTION_STATUSES, formatHosts, needsSignIn } from '../../credentials/credential-state.ts';
import { getProviderMark } from '../../credentials/provider-mark.tsx';
import { FieldsDialog } from '../../credentials/fields-dialog.tsx';
import { findProviderByHost } from '../../credentials/provider-host.ts';
import { getServiceName, useProviders } from '../../credentials/providers.ts';
import { useConnectionChoices, useSecretChoices } from '../../credentials/use-credentials.ts';
import { joinClassNames } from '../../ui/class-names.ts';
import type { Mark } from '../../ui/brand-marks.tsx';
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../../ui/overlays/menu.tsx';
import type { Credential, CredentialKind } from '../../credentials/credential.ts';
import { CredentialStatus } from './credential-status.tsx';
import { useForm, type ControlProps } from './form-context.ts';
import { t } from '../../i18n/index.ts';

/** The entries of the menu. */
type CredentialOption = Credential & {
  readonly icon: Mark;
  readonly detail: string;
  readonly needsCare: boolean;
};

const NONE_TEXT: Readonly<Record<string, string>> = {
  secret: t('Choose a secret'),
  connection: t('Choose a connection'),
  both: t('Choose an account'),
};

/** Chooses a secret or a connection by name, and creates one in a dialog over the editor. */
export function CredentialPicker({
  id,
  describedBy,
  isInvalid,
  isRequired,
  kinds,
  selected,
  onChoose,
}: Pick<ControlProps, 'id' | 'describedBy' | 'isInvalid' | 'isRequired'> & {
  kinds: readonly CredentialKind[];
  selected: Credential | null;
  onChoose: (credential: Credential | null) => void;
}) {
  const { requestHost, serviceHost, connectionPreset } = useForm();
  const secrets = useSecretChoices(kinds.includes('secret'));
  const connections = useConnectionChoices(kinds.includes('connection'));
  const providers = useProviders(kinds.includes('connection'));
  /** The kind that is being created, with its first name. */
  const [creating, setCreating] = useState<{
    kind: CredentialKind | 'fields';
    name?: string | undefined;
  } | null>(null);
  const valueId = useId();
  const offers: Record<CredentialKind, CredentialOption[]> = {
    secret: (secrets ?? []).map(({ name, hosts }) => ({
      kind: 'secret',
      name,
      icon: KeyRound,
      detail: hosts === null ? t('Any host') : formatHosts(hosts),
      needsCare: false,
    })),
    connection: sortOwnFirst(
      connections ?? [],
      serviceHost === null ? null : findProviderByHost(serviceHost, providers),
    ).map((one) => ({
      kind: 'connection',
      name: one.name,
      icon: one.authentication === null ? getProviderMark(one.provider) : KeyRound,
      detail: [
        getServiceName(one, providers),
        ...(one.hosts === null ? [] : [formatHosts(one.hosts)]),
        CONNECTION_STATUSES[one.status].label,
      ].join(' · '),
      needsCare: needsSignIn(one) || one.status === 'failing',
    })),
  };
  const displayedKind = selected?.kind ?? kinds[0];
  const Icon =
    displayedKind === 'secret'
      ? KeyRound
      : getProviderMark(connections?.find(({ name }) => name === selected?.name)?.provider);
  return (
    <div className="picker">
      <Menu
        align="start"
        trigger={
          <button
            type="button"
            id={id}
            className={joinClassNames('input', 'picker__button')}
            aria-describedby={[valueId, describedBy].filter((one) => one !== undefined).join(' ')}
            data-invalid={isInvalid || undefined}
          >
            <Icon size={14} aria-hidden="true" />
            <span id={valueId} className={selected === null ? 'faint' : 'picker__name'}>
              {selected?.name ?? NONE_TEXT[kinds.length > 1 ? 'both' : kinds[0]!]}
            </span>
            <ChevronDown size={14} aria-hidden="true" />
          </button>
        }
      >
        {kinds.map((kind) => (
          <Offers
            key={kind}
            title={kinds.length > 1 ? (kind === 'secret' ? t('Secrets') : t('Connections')) : null}
            offers={offers[kind]}
            selected={selected}
            onChoose={onChoose}
          />
        ))}
        {kinds.some((kind) => offers[kind].length > 0) && <MenuSeparator />}
        {kinds.map((kind) => (
          <MenuItem
            key={kind}
            icon={<Plus size={14} />}
            // The menu returns the focus to its button first, which the dialog then remembers.
            onSelect={() => setTimeout(() => setCreating({ kind }))}
          >
            {kind === 'secret' ? t('New secret…') : t('Connect an account…')}
          </MenuItem>
        ))}
        {kinds.includes('connection') && (
          <MenuItem
            icon={<Plus size={14} />}
            onSelect={() => setTimeout(() => setCreating({ kind: 'fields' }))}
          >
            {t('Add an API key…')}
          </MenuItem>
        )}
        {selected !== null && !isRequired && (
          <MenuItem icon={<span className="picker__blank" />} onSelect={() => onChoose(null)}>
            {t('None')}
          </MenuItem>
        )}
      </Menu>
      {selected !== null && (
        <CredentialStatus
          credential={selected}
          secret={secrets?.find(({ name }) => name === selected.name)}
          connection={connections?.find(({ name }) => name === selected.name)}
          isKnown={(selected.kind === 'secret' ? secrets : connections) !== undefined}
          onCreate={() => setCreating({ kind: selected.kind, name: selected.name })}
        />
      )}
      {creating?.kind === 'secret' && (
        <SecretDialog
          secret={null}
          name={creating.name}
          host={requestHost}
          onSaved={(name) => onChoose({ kind: 'secret', name })}
          onClose={() => setCreating(null)}
        />
      )}
      {creating?.kind === 'fields' && (
        <FieldsDialog
          host={requestHost ?? serviceHost}
          onCreated={({ name }) => onChoose({ kind: 'connection', name })}
          onClose={() => setCreating(null)}
        />
      )}
      {creating?.kind === 'connection' && (
        <ConnectionDialog
          name={creating.name}
          host={serviceHost}
          preset={connectionPreset}
          onCreated={({ name }) => onChoose({ kind: 'connection', name })}
          onClose={() => setCreating(null)}
        />
      )}
    </div>
  );
}

/** The connections to the service of the node before the others. */
function sortOwnFirst(all: readonly ConnectedAccount[], own: string | null): readonly ConnectedAccount[] {
  if (own === null) return all;
  return all.toSorted((a, b) => Number(b.provider === own) - Number(a.provider === own));
}

function Offers({
  title,
  offers,
  selected,
  onChoose,
}: {
  /** Null: the only group has no title. */
  title: string | null;
  offers: readonly CredentialOption[];
  selected: Credential | null;
  onChoose: (credential: Credential) => void;
}) {
  if (offers.length === 0) return null;
  return (
    <>
      {title !== null && <MenuLabel>{title}</MenuLabel>}
      {offers.map(({ kind, name, icon: Icon, detail, needsCare }) => (
        <MenuItem
          key={name}
          icon={
            selected?.kind === kind && selected.name === name ? (
              <Check size={14} aria-label={t('Chosen')} />
            ) : (
              <Icon size={14} aria-hidden="true" />
            )
          }
          onSelect={() => onChoose({ kind, name })}
        >
          <span className="picker__offer">
            <span className="picker__name">{name}</span>
            <span className={needsCare ? 'picker__detail picker__detail--warn' : 'picker__detail'}>
              {needsCare && <TriangleAlert size={11} aria-hidden="true" />}
              {detail}
            </span>
          </span>
        </MenuItem>
      ))}
    </>
  );
}
