import type { PackDetail } from 'weft-client';
import { formatApiKey } from '../../connectors/authentication-methods.ts';
import { Time } from '../../ui/time.tsx';
import { formatSize } from './document-source.tsx';
import { locale, t, tPlural } from '../../i18n/index.ts';

const KINDS: Readonly<Record<string, string>> = {
  basic: t('User name and password'),
  bearer: t('Bearer token'),
  oauth2: t('OAuth 2.0'),
  secret_text: t('Secret'),
  fields: t('Fields'),
  other: t('Not supported'),
};

/** What the document of a pack states about the API. */
export function PackFacts({ pack }: { pack: PackDetail }) {
  const { document, servers, authentication, package: from, triggers } = pack;
  return (
    <dl className="card definitions pack-facts">
      <dt>{t('Node type')}</dt>
      <dd>
        <code>{pack.node_type}</code>
      </dd>
      <dt>{t('Operations')}</dt>
      <dd className="numbers">{pack.operations.toLocaleString(locale)}</dd>
      {from === null ? (
        <>
          <dt>{t('Servers')}</dt>
          <dd>
            {servers.length === 0 ? t('Set in each node') : <Lines texts={servers.map(({ url }) => url)} />}
          </dd>
        </>
      ) : (
        <>
          <dt>{t('Triggers')}</dt>
          <dd>{triggers.length === 0 ? t('None') : <Lines texts={triggers.map(({ title }) => title)} />}</dd>
        </>
      )}
      <dt>{t('Authentication')}</dt>
      <dd>
        {authentication.length === 0 ? (
          t('Not stated')
        ) : (
          <Lines texts={authentication.map(authenticationText)} />
        )}
      </dd>
      {from === null ? (
        <>
          <dt>{t('Document')}</dt>
          <dd>
            {document.url ?? t('From a file')}, {formatSize(document.size)},{' '}
            {t('version {{version}}', { version: pack.document_version })}
          </dd>
        </>
      ) : (
        <>
          <dt>{t('Package')}</dt>
          <dd>
            <code>{from.name}</code>, {formatSize(document.size)}
          </dd>
          <dt>{t('Signature')}</dt>
          <dd>{from.signed_by === null ? t('Not checked') : t('Checked with a key of the registry')}</dd>
        </>
      )}
      <dt>{t('Installed')}</dt>
      <dd>
        <Time at={pack.installed_at} />
      </dd>
    </dl>
  );
}

function authenticationText({ id, kind, in: location, name }: PackDetail['authentication'][number]): string {
  const text = kind === 'api_key' ? formatApiKey(name, location) : (KINDS[kind] ?? kind);
  return id === kind ? text : `${text}: ${id}`;
}

function Lines({ texts }: { texts: readonly string[] }) {
  return texts.map((text) => <div key={text}>{text}</div>);
}

/** Parts of a document that were left out or simplified. */
export function Warnings({ warnings }: { warnings: readonly string[] }) {
  if (warnings.length === 0) return null;
  return (
    <details className="pack-warnings">
      <summary>
        {tPlural(warnings.length, '{{count}} part was simplified', '{{count}} parts were simplified')}
      </summary>
      <ul>
        {warnings.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </details>
  );
}
