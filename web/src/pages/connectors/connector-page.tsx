import { RefreshCw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { NotFoundError, type PackDetail } from 'weft-client';
import { usePack } from '../../connectors/use-operations.ts';
import { useCurrentUser } from '../../data/current-user.ts';
import { useUrlState } from '../../data/url-state.ts';
import { ErrorAlert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { NotFoundPage } from '../not-found/not-found-page.tsx';
import { countText } from './connectors-page.tsx';
import { UpdateDialog } from './update-dialog.tsx';
import { PackAppSection } from './pack-app.tsx';
import { PackFacts, Warnings } from './pack-facts.tsx';
import { PackOperations } from './pack-operations.tsx';
import { RemoveDialog, WorkflowLinks } from './remove-dialog.tsx';
import { usePackWorkflows } from './use-packs.ts';
import { t } from '../../i18n/index.ts';

/** One pack: what its document states, the workflows that use it, and its operations. */
export function ConnectorPage({ name }: { name: string }) {
  const { get } = useUrlState();
  const pack = usePack(name, get('version'));
  if (pack.error instanceof NotFoundError) return <NotFoundPage />;
  if (pack.data === undefined)
    return (
      <Page title={t('Connector')}>
        {pack.error === null ? (
          <Skeleton />
        ) : (
          <ErrorAlert error={pack.error} onRetry={() => void pack.refetch()} />
        )}
      </Page>
    );
  return <Loaded pack={pack.data} />;
}

function Loaded({ pack }: { pack: PackDetail }) {
  const isAdmin = useCurrentUser()?.role === 'admin';
  const [, navigate] = useLocation();
  const { set } = useUrlState();
  const [open, setOpen] = useState<'update' | 'remove' | 'remove-version' | null>(null);
  const close = (): void => setOpen(null);
  const hasVersions = pack.versions.length > 1;
  const hasApp = pack.triggers.some(({ strategy }) => strategy === 'app_webhook');
  return (
    <Page
      title={pack.title}
      {...(pack.description === '' ? {} : { lead: pack.description.split('\n', 1)[0] })}
      actions={
        <>
          {hasVersions && (
            <Select
              aria-label={t('Version')}
              value={pack.version}
              onChange={({ target }) =>
                set({ version: target.value === pack.versions[0] ? '' : target.value })
              }
            >
              {pack.versions.map((version) => (
                <option key={version} value={version}>
                  {t('Version {{version}}', { version })}
                </option>
              ))}
            </Select>
          )}
          {isAdmin && (
            <>
              <Button icon={<RefreshCw size={15} />} onClick={() => setOpen('update')}>
                {t('Update…')}
              </Button>
              {hasVersions && (
                <Button onClick={() => setOpen('remove-version')}>
                  {t('Remove {{name}}…', { name: pack.version })}
                </Button>
              )}
              <Button variant="danger" icon={<Trash2 size={15} />} onClick={() => setOpen('remove')}>
                {t('Remove…')}
              </Button>
            </>
          )}
        </>
      }
    >
      <PackFacts pack={pack} />
      <Warnings warnings={pack.warnings} />
      {isAdmin && hasApp && <PackAppSection name={pack.name} />}
      {isAdmin && <UsedBy name={pack.name} />}
      <PackOperations key={pack.version} name={pack.name} version={pack.version} />
      {open === 'update' && <UpdateDialog pack={pack} onClose={close} />}
      {open === 'remove' && (
        <RemoveDialog
          pack={pack}
          version={null}
          onClose={close}
          onRemoved={() => navigate('/settings/connectors')}
        />
      )}
      {open === 'remove-version' && (
        <RemoveDialog
          pack={pack}
          version={pack.version}
          onClose={close}
          onRemoved={() => set({ version: '' })}
        />
      )}
    </Page>
  );
}

function UsedBy({ name }: { name: string }) {
  const uses = usePackWorkflows(name);
  if (uses.data === undefined) return uses.error === null ? null : <ErrorAlert error={uses.error} />;
  const { workflows, complete } = uses.data;
  return (
    <section className="pack-section" aria-labelledby="pack-uses">
      <h2 className="pack-section__title" id="pack-uses">
        {t('Used by {{workflows}}', { workflows: countText(workflows.length, complete) })}
      </h2>
      {workflows.length > 0 && <WorkflowLinks workflows={workflows} />}
    </section>
  );
}
