import { RotateCcw } from 'lucide-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import type { VersionAuthor } from 'weft-client';
import { client } from '../../data/client.ts';
import { useStore } from '../../data/store.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { joinClassNames } from '../../ui/class-names.ts';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { ErrorAlert } from '../../ui/alert.tsx';
import { SegmentedControl } from '../../ui/segmented-control.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import type { Actions } from '../state/actions.ts';
import type { Editor } from '../state/editor.ts';
import { placeUnplaced } from '../model/layout/auto-layout.ts';
import { compareDocs } from '../model/diff.ts';
import { toDoc, type Definition, type Doc } from '../model/document.ts';
import { ChangeList } from './change-list.tsx';
import { VersionName } from './version-name.tsx';
import { DiffCanvas } from './diff-canvas.tsx';
import type { EditorSession } from './editor-session.ts';
import { t, tPlural } from '../../i18n/index.ts';

const PAGE_SIZE = 30;

/** All versions, their changes or their difference to the canvas, and a button to restore one. */
export function HistoryDialog({
  session,
  editor,
  onClose,
  onRestored,
}: {
  session: EditorSession;
  editor: Editor;
  onClose: () => void;
  onRestored: () => void;
}) {
  const { isHistoryOpen } = useStore(session.ui);
  return (
    <Dialog isOpen={isHistoryOpen} onClose={onClose} title={t('Version history')} size="huge">
      {isHistoryOpen && (
        <Versions session={session} editor={editor} onClose={onClose} onRestored={onRestored} />
      )}
    </Dialog>
  );
}

function Versions({
  session: { saver },
  editor,
  onClose,
  onRestored,
}: {
  session: EditorSession;
  editor: Editor;
  onClose: () => void;
  onRestored: () => void;
}) {
  const { id, version: newest, active_version: active } = useStore(saver.workflow);
  const [selectedVersion, setSelectedVersion] = useState(newest);
  const versions = useInfiniteQuery({
    queryKey: ['workflows', 'versions', id, newest],
    queryFn: ({ pageParam, signal }) =>
      client.workflows.versions.list(id, { page: pageParam, limit: PAGE_SIZE }, { signal }),
    initialPageParam: 1,
    getNextPageParam: ({ pagination }) =>
      pagination.page < pagination.total_pages ? pagination.page + 1 : null,
  });
  const rows = versions.data?.pages.flatMap((page) => page.versions) ?? [];
  return (
    <div className="history">
      <div className="history__list">
        {versions.error !== null && (
          <ErrorAlert error={versions.error} onRetry={() => void versions.refetch()} />
        )}
        <ul aria-label={t('Versions')}>
          {rows.map((row) => (
            <li key={row.version}>
              <button
                type="button"
                className="history__row"
                autoFocus={row.version === newest}
                aria-current={row.version === selectedVersion ? 'true' : undefined}
                onClick={() => setSelectedVersion(row.version)}
              >
                <span className="history__version">
                  {row.name ?? t('Version {{version}}', { version: row.version })}
                </span>
                {row.version === active && <Badge tone="good">{t('Published')}</Badge>}
                <span className="history__time">
                  <Time at={row.created_at} />
                </span>
                <span className="history__count">
                  {row.name !== null && `${t('Version {{version}}', { version: row.version })} · `}
                  {tPlural(row.node_count, '{{count}} node', '{{count}} nodes')}
                </span>
                {row.author !== null && <span className="history__author">{authorText(row.author)}</span>}
              </button>
            </li>
          ))}
        </ul>
        {versions.hasNextPage && (
          <Button
            size="small"
            variant="quiet"
            isBusy={versions.isFetchingNextPage}
            onClick={() => void versions.fetchNextPage()}
          >
            {t('Load older versions')}
          </Button>
        )}
      </div>
      <Comparison
        key={selectedVersion}
        workflowId={id}
        version={selectedVersion}
        name={rows.find((row) => row.version === selectedVersion)?.name ?? null}
        editor={editor}
        onClose={onClose}
        onRestored={onRestored}
      />
    </div>
  );
}

function useVersion(workflowId: string, version: number) {
  return useQuery({
    queryKey: ['workflows', 'version', workflowId, version],
    queryFn: ({ signal }) => client.workflows.versions.get(workflowId, String(version), { signal }),
    // Versions are immutable.
    staleTime: Infinity,
    enabled: version > 0,
  });
}

function Comparison({
  workflowId,
  version,
  name,
  editor,
  onClose,
  onRestored,
}: {
  workflowId: string;
  version: number;
  name: string | null;
  editor: Editor;
  onClose: () => void;
  onRestored: () => void;
}) {
  const [against, setAgainst] = useState<'previous' | 'now'>('previous');
  const versionQuery = useVersion(workflowId, version);
  const previous = useVersion(workflowId, version - 1);
  const actions = useRef<Actions | null>(null);
  const { catalog } = editor;
  const own = useMemo(
    () => (versionQuery.data === undefined ? null : toDocument(versionQuery.data.definition, catalog)),
    [versionQuery.data, catalog],
  );
  const before = useMemo(() => {
    if (version === 1) return toDoc({});
    return previous.data === undefined ? null : toDocument(previous.data.definition, catalog);
  }, [previous.data, version, catalog]);
  const now = editor.doc();
  const error = versionQuery.error ?? (against === 'previous' ? previous.error : null);
  if (error !== null) return <ErrorAlert error={error} />;
  if (own === null || (against === 'previous' && before === null))
    return <div className="history__diff" aria-busy="true" />;
  const [from, to] = against === 'previous' ? [before!, own] : [own, now];
  const diff = compareDocs(from, to);
  const restore = (): void => {
    const isChanged = editor.change(t('Restore version {{version}}', { version }), () => own);
    onClose();
    onRestored();
    toast({
      tone: isChanged ? 'good' : 'info',
      title: isChanged
        ? t('Version {{version}} restored', { version })
        : t('The canvas already shows version {{version}}', { version }),
      ...(isChanged ? { action: { label: t('Undo'), run: editor.undo } } : {}),
    });
  };
  return (
    <div className="history__diff">
      <div className="history__bar">
        <SegmentedControl
          label={t('Compare')}
          value={against}
          onChange={setAgainst}
          options={[
            { value: 'previous', label: t('Changes in this version') },
            { value: 'now', label: t('Changes since') },
          ]}
        />
        <VersionName workflowId={workflowId} version={version} name={name} />
        <Button icon={<RotateCcw size={14} />} size="small" onClick={restore}>
          {t('Restore version {{version}}', { version })}
        </Button>
      </div>
      <div
        className={joinClassNames(
          'history__canvas',
          to.nodes.size + from.nodes.size === 0 && 'history__canvas--empty',
        )}
      >
        <DiffCanvas
          key={against}
          editor={editor}
          diff={diff}
          before={from}
          after={to}
          label={
            against === 'previous'
              ? t('Version {{version}}, compared with the previous version', { version })
              : t('Version {{version}}, compared with the canvas', { version })
          }
          actionsRef={actions}
        />
      </div>
      <div className="history__changes">
        <ChangeList
          diff={diff}
          before={from}
          after={to}
          catalog={catalog}
          onChoose={(node) => actions.current?.choose(node)}
        />
      </div>
    </div>
  );
}

function authorText({ type, name }: VersionAuthor): string {
  if (type === 'api_key') return t('API key {{name}}', { name });
  return type === 'oauth_client' ? t('App {{name}}', { name }) : name;
}

function toDocument(definition: unknown, catalog: Editor['catalog']): Doc {
  return placeUnplaced(toDoc(definition as Definition), catalog);
}
