import { useCallback, useMemo } from 'react';
import { useOperationEntries } from '../../connectors/load-operations.ts';
import { useStore } from '../../data/store.ts';
import {
  extractFirstSentence,
  listPaletteEntries,
  listSearchEntries,
  listSuggestedEntries,
  type PaletteEntry,
} from '../model/palette-entries.ts';
import { canFollow } from '../model/ports.ts';
import { search } from '../model/search.ts';
import { listRecentEntries } from '../state/recent-entries.ts';
import type { AddTarget } from '../state/ui-state.ts';
import { useCanvas } from './canvas-context.ts';
import { Chooser, type Choice } from './command-list.tsx';
import { TypeIcon } from './type-icon.tsx';
import { t } from '../../i18n/index.ts';

/** The maximum number of results. */
const MAX_RESULTS = 50;

/** Searches node types and adds a node at the position. */
export function QuickAdd() {
  const { ui } = useCanvas();
  const { adding } = useStore(ui);
  return adding === null ? null : <Picker adding={adding} />;
}

function Picker({ adding }: { adding: AddTarget }) {
  const { editor, actions, ui } = useCanvas();
  const close = useCallback(() => {
    ui.show({ adding: null });
    actions.focus();
  }, [ui, actions]);
  const { catalog } = editor;
  const operations = useOperationEntries(catalog);
  const suggested = useMemo(
    () => listSuggestedEntries(listPaletteEntries(catalog), operations, listRecentEntries()),
    [catalog, operations],
  );
  const find = (text: string): Choice[] => {
    const isSearching = text.trim() !== '';
    return (isSearching ? search(listSearchEntries(catalog), text) : suggested)
      .filter((entry) => follows(entry, adding, isSearching, editor))
      .slice(0, isSearching ? MAX_RESULTS : undefined)
      .map((entry) => ({
        id: entry.id,
        title: entry.title,
        detail: extractFirstSentence(entry.detail),
        icon: <TypeIcon type={entry} />,
        group: entry.group,
      }));
  };
  return (
    <Chooser
      key={JSON.stringify(adding)}
      label={t('Add node')}
      placeholder={t('Add node…')}
      search={find}
      anchor={adding.screen ?? null}
      empty={t('No matching node types')}
      onClose={close}
      onChoose={(id) => {
        actions.add(id, adding);
        close();
      }}
    />
  );
}

/**
 * Offers only types that fit: none without a matching port, and no trigger in a body, on an edge or after a
 * port. After a selected node, triggers are offered only by search, and are added unconnected.
 */
function follows(
  { category, type }: PaletteEntry,
  { from, to, bodyPosition, edge }: AddTarget,
  isSearching: boolean,
  editor: ReturnType<typeof useCanvas>['editor'],
): boolean {
  if (category === 'trigger')
    return (
      bodyPosition === undefined &&
      edge === undefined &&
      (from === undefined || (isSearching && from.port === undefined))
    );
  const source = from === undefined ? undefined : editor.doc().nodes.get(from.node);
  if (from !== undefined && !canFollow(source, from.port, type.id, editor.catalog)) return false;
  return to === undefined || type.outputs.length > 0;
}
