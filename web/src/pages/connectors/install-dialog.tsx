import { useRef, useState } from 'react';
import {
  ConflictError,
  ValidationError,
  type InstallPackInput,
  type Pack,
  type PackInstallation,
} from 'weft-client';
import { client } from '../../data/client.ts';
import { toFieldError, toFormError } from '../../data/error-text.ts';
import { useMutationWithToast } from '../../data/use-mutation-with-toast.ts';
import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { SegmentedControl } from '../../ui/segmented-control.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { ChangesView } from './changes-view.tsx';
import { DocumentFileField, FileError, readDocument, formatSize } from './document-source.tsx';
import { Warnings } from './pack-facts.tsx';
import { PACKAGE_FIELDS, PackageFields, toPackageInput } from './package-fields.tsx';
import { INSTALL_TIMEOUT_MS, PACK_CHANGES } from './use-packs.ts';
import { locale, t } from '../../i18n/index.ts';

const SOURCES = [
  { value: 'file', label: t('File') },
  { value: 'url', label: t('URL') },
  { value: 'package', label: t('Package') },
] as const;

type Source = (typeof SOURCES)[number]['value'];

/** Previews and installs a document. `pack`: the pack to update; null installs a new one. */
export function InstallDialog({
  pack,
  packageName = null,
  onClose,
}: {
  pack: Pack | null;
  /** The package that the pack was made from. */
  packageName?: string | null;
  onClose: () => void;
}) {
  const [preview, setPreview] = useState<PackInstallation | null>(null);
  const [from, setFrom] = useState<Source>(
    packageName !== null ? 'package' : pack?.document.url == null ? 'file' : 'url',
  );
  const [file, setFile] = useState<File | null>(null);
  const [fileError, setFileFault] = useState<string | null>(null);
  const [packageEntry, setPackageEntry] = useState({ name: packageName ?? '', version: '', integrity: '' });
  const [url, setUrl] = useState(pack?.document.url ?? '');
  const [name, setName] = useState('');
  const [version, setVersion] = useState('');
  const aborter = useRef<AbortController | null>(null);

  const request = async (): Promise<InstallPackInput> => ({
    ...(from === 'package'
      ? toPackageInput(packageEntry)
      : from === 'url'
        ? { url: url.trim() }
        : file === null
          ? {}
          : { document: await readDocument(file) }),
    ...(pack !== null ? { name: pack.name } : name.trim() === '' ? {} : { name: name.trim() }),
  });
  const send = async (how: Pick<InstallPackInput, 'dry_run' | 'version'>): Promise<PackInstallation> => {
    const { signal } = (aborter.current = new AbortController());
    const input = { ...(await request()), ...how };
    return client.packs.install(input, { signal, timeout: INSTALL_TIMEOUT_MS });
  };
  const read = useMutationWithToast(() => send({ dry_run: true }), {
    changes: [],
    onDone(found) {
      setPreview(found);
      setVersion(found.suggested_version);
    },
  });
  const install = useMutationWithToast(() => send({ version: version.trim() }), {
    changes: PACK_CHANGES,
    onDone({ outcome, pack: made }) {
      onClose();
      toast({
        tone: 'good',
        title:
          outcome === 'installed'
            ? t('{{name}} installed', { name: `${made.title} ${made.version}` })
            : t('{{name}} was installed already', { name: `${made.title} ${made.version}` }),
        text: t('Its operations are in the node picker.'),
      });
    },
    onFailed(error) {
      // The document is chosen in the first step.
      const isOfVersion =
        error instanceof ValidationError && error.errors.every(({ field }) => field === 'version');
      if (error instanceof FileError || (error instanceof ValidationError && !isOfVersion)) setPreview(null);
    },
  });
  const isBusy = read.isPending || install.isPending;
  const cancel = (): void => {
    aborter.current?.abort();
    onClose();
  };

  function submit(): void {
    if (isBusy) return;
    if (preview !== null) {
      if (preview.outcome !== 'unchanged') install.mutate(undefined);
      return;
    }
    install.reset();
    if (from === 'file' && file === null) setFileFault(t('Choose a file first.'));
    else read.mutate(undefined);
  }

  const error = preview === null ? (install.error ?? read.error) : install.error;
  return (
    <Dialog
      isOpen
      size="wide"
      onClose={cancel}
      title={pack === null ? t('Add a connector') : t('Update {{name}}', { name: pack.title })}
      description={
        pack === null
          ? t('Its operations become nodes for all users.')
          : t('Workflows keep the version that they were saved with.')
      }
      onSubmit={submit}
      foot={
        <Foot
          preview={preview}
          version={version}
          isBusy={isBusy}
          onBack={() => setPreview(null)}
          onCancel={cancel}
        />
      }
    >
      <div className="form">
        {preview === null ? (
          <>
            <FormErrorAlert error={error} fields={[...listErrorFields(error, from), 'name', 'version']} />
            <div>
              <SegmentedControl
                label={t('Load from')}
                value={from}
                options={
                  pack === null
                    ? SOURCES
                    : SOURCES.filter(({ value }) => (value === 'package') === (packageName !== null))
                }
                onChange={setFrom}
              />
            </div>
            {from === 'package' ? (
              <PackageFields
                entry={packageEntry}
                error={error}
                isNameFixed={packageName !== null}
                onChange={setPackageEntry}
              />
            ) : from === 'file' ? (
              <DocumentFileField
                file={file}
                error={fileError ?? describeDocumentErrors(error)}
                onError={setFileFault}
                onFile={(selectedFile) => {
                  setFileFault(null);
                  read.reset();
                  install.reset();
                  setFile(selectedFile);
                }}
              />
            ) : (
              <TextField
                label={t('URL')}
                type="url"
                value={url}
                placeholder="https://api.example.com/openapi.json"
                error={toFieldError(error, 'url') ?? describeDocumentErrors(error)}
                onChange={({ target }) => setUrl(target.value)}
              />
            )}
            {pack === null && (
              <TextField
                label={t('Name')}
                isOptional
                className="input--mono"
                spellCheck={false}
                value={name}
                hint={t('Part of the node type. By default it is made from the title.')}
                error={toFieldError(error, 'name')}
                onChange={({ target }) => setName(target.value)}
              />
            )}
          </>
        ) : (
          <>
            <FormErrorAlert error={error instanceof ConflictError ? null : error} fields={['version']} />
            <Preview installation={preview} />
            {preview.outcome !== 'unchanged' && from !== 'package' && (
              <TextField
                label={t('Version')}
                className="input--mono"
                value={version}
                hint={
                  preview.outcome === 'conflict'
                    ? t('{{version}} is installed with another document, and never changes.', {
                        version: preview.pack.version,
                      })
                    : t('major.minor.patch. An installed version never changes.')
                }
                error={describeVersionError(error)}
                onChange={({ target }) => setVersion(target.value)}
              />
            )}
          </>
        )}
        {isBusy && (
          <Progress
            text={progressText(
              preview !== null,
              from,
              file?.size ?? 0,
              from === 'package' ? packageEntry.name : url,
            )}
          />
        )}
      </div>
    </Dialog>
  );
}

function Foot({
  preview,
  version,
  isBusy,
  onBack,
  onCancel,
}: {
  preview: PackInstallation | null;
  version: string;
  isBusy: boolean;
  onBack: () => void;
  onCancel: () => void;
}) {
  const isKnown = preview?.outcome === 'unchanged';
  return (
    <>
      {preview !== null && !isBusy && <Button onClick={onBack}>{t('Back')}</Button>}
      <Button onClick={onCancel}>{isKnown ? t('Close') : t('Cancel')}</Button>
      {!isKnown && (
        <Button type="submit" variant="primary" isBusy={isBusy}>
          {preview === null ? t('Review') : t('Install {{version}}', { version: version.trim() })}
        </Button>
      )}
    </>
  );
}

function FormErrorAlert({ error, fields }: { error: unknown; fields: readonly string[] }) {
  const text = error instanceof FileError ? null : toFormError(error, fields);
  return text === null ? null : <Alert tone="bad">{text}</Alert>;
}

/** What the document would install. */
function Preview({ installation: { outcome, pack, changes } }: { installation: PackInstallation }) {
  const [server] = pack.servers;
  return (
    <>
      {outcome === 'unchanged' && (
        <Alert tone="good">{t('It is installed as version {{version}}.', { version: pack.version })}</Alert>
      )}
      <dl className="definitions">
        <dt>{t('Title')}</dt>
        <dd>{pack.title}</dd>
        <dt>{t('Node type')}</dt>
        <dd>
          <code>{pack.node_type}</code>
        </dd>
        <dt>{t('Operations')}</dt>
        <dd>{pack.operations.toLocaleString(locale)}</dd>
        {pack.package === null ? (
          <>
            <dt>{t('Server')}</dt>
            <dd>{server === undefined ? t('Set in each node') : server.url}</dd>
          </>
        ) : (
          <>
            <dt>{t('Package')}</dt>
            <dd>
              <code>
                {pack.package.name}@{pack.version}
              </code>
            </dd>
          </>
        )}
      </dl>
      {changes.from_version !== null && outcome !== 'unchanged' && <ChangesView changes={changes} />}
      <Warnings warnings={pack.warnings} />
    </>
  );
}

/** A step whose duration is not known. */
function Progress({ text }: { text: string }) {
  return (
    <div className="pack-progress" role="status">
      <progress aria-label={t('Progress')} />
      <span>{text}</span>
    </div>
  );
}

function progressText(isInstalling: boolean, from: Source, size: number, url: string): string {
  if (isInstalling) return t('Installing…');
  return from === 'file'
    ? t('Reading the document ({{size}})…', { size: formatSize(size) })
    : t('Loading and reading {{address}}…', { address: URL.parse(url)?.host ?? url });
}

/** The errors of the document, each with its JSON path. */
function describeDocumentErrors(error: unknown): string | null {
  if (error instanceof FileError) return error.message;
  if (!(error instanceof ValidationError)) return null;
  const found = error.errors.filter(({ field }) => isDocument(field));
  if (found.length === 0) return null;
  return found
    .map(({ field, issue }) =>
      field === 'document'
        ? t('The document {{issue}}', { issue })
        : `${field.slice('document.'.length)} ${issue}`,
    )
    .join('; ');
}

const isDocument = (field: string): boolean => field === 'document' || field.startsWith('document.');

/** The fields of an error that the first step shows. */
function listErrorFields(error: unknown, from: Source): string[] {
  if (!(error instanceof ValidationError)) return [];
  const displayedFields = error.errors.map(({ field }) => field).filter(isDocument);
  if (from === 'package') return [...displayedFields, ...PACKAGE_FIELDS];
  return from === 'url' ? [...displayedFields, 'url'] : displayedFields;
}

function describeVersionError(error: unknown): string | null {
  return error instanceof ConflictError ? error.message : toFieldError(error, 'version');
}
