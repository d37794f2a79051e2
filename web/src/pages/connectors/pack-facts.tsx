import type { PackDetail } from 'weft-client';
import { Time } from '../../ui/time.tsx';
import { sizeText } from './document-source.tsx';

const KINDS: Readonly<Record<string, string>> = {
  basic: 'User name and password',
  bearer: 'Bearer token',
  oauth2: 'OAuth 2.0',
  other: 'Not supported',
};

/** What the document of a pack states about the API. */
export function PackFacts({ pack }: { pack: PackDetail }) {
  const { document, servers, authentication } = pack;
  return (
    <dl className="card definitions pack-facts">
      <dt>Node type</dt>
      <dd>
        <code>{pack.node_type}</code>
      </dd>
      <dt>Operations</dt>
      <dd className="numbers">{pack.operations.toLocaleString('en')}</dd>
      <dt>Servers</dt>
      <dd>{servers.length === 0 ? 'Set in each node' : <Lines texts={servers.map(({ url }) => url)} />}</dd>
      <dt>Authentication</dt>
      <dd>
        {authentication.length === 0 ? (
          'Not stated'
        ) : (
          <Lines texts={authentication.map(authenticationText)} />
        )}
      </dd>
      <dt>Document</dt>
      <dd>
        {document.url ?? 'From a file'}, {sizeText(document.size)}, version {pack.document_version}
      </dd>
      <dt>Installed</dt>
      <dd>
        <Time at={pack.installed_at} />
      </dd>
    </dl>
  );
}

function authenticationText({ id, kind, in: place, name }: PackDetail['authentication'][number]): string {
  const text = kind === 'api_key' ? `API key (${name} in the ${place})` : (KINDS[kind] ?? kind);
  return `${text}: ${id}`;
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
        {warnings.length === 1 ? '1 part was simplified' : `${warnings.length} parts were simplified`}
      </summary>
      <ul>
        {warnings.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </details>
  );
}
