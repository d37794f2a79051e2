import { useCallback } from 'react';
import { useStore } from '../../data/store.ts';
import { computeBoxes } from '../model/layout/boxes.ts';
import { findConnectError } from '../model/edit/edit-connections.ts';
import { getPorts, errorPort } from '../model/ports.ts';
import { search } from '../model/search.ts';
import { getNodeTitle } from '../model/title.ts';
import { useCanvas } from './canvas-context.ts';
import { Chooser, type Choice } from './command-list.tsx';
import { TypeIcon } from './type-icon.tsx';
import { t } from '../../i18n/index.ts';

const MAX_TARGETS = 200;

/** Connects a node by keyboard: lists the ports that its own can be connected to. */
export function ConnectPicker() {
  const { editor, actions, ui } = useCanvas();
  const { connecting } = useStore(ui);
  const { doc } = useStore(editor.history);
  const close = useCallback(() => {
    ui.show({ connecting: null });
    actions.focus();
  }, [ui, actions]);
  const source = connecting === null ? undefined : doc.nodes.get(connecting);
  if (source === undefined) return null;
  const { catalog } = editor;
  const { outputs, hasError } = getPorts(source, catalog);
  const ports = [...outputs, ...(hasError ? [errorPort] : [])];
  const isOne = outputs.length === 1;

  const targets = ports.flatMap(({ name: port }) =>
    [...doc.nodes.values()].map((entry) => {
      const type = catalog.get(entry.type);
      const detail = type?.name ?? entry.type;
      return {
        id: JSON.stringify([port, entry.id]),
        title: getNodeTitle(entry, catalog),
        detail,
        keywords: [port, entry.id, detail, ...(type?.keywords ?? [])],
        ends: { from: source.id, port, to: entry.id },
        icon: <TypeIcon type={type} />,
        group: isOne && port !== 'error' ? t('Next') : t('From {{port}}', { port }),
      };
    }),
  );
  const find = (text: string): Choice[] => {
    const found: Choice[] = [];
    for (const target of search(targets, text)) {
      if (findConnectError(doc, catalog, target.ends) === null) found.push(target);
      if (found.length >= MAX_TARGETS) break;
    }
    return found;
  };
  const box = computeBoxes(doc, catalog).get(source.id);
  return (
    <Chooser
      label={t('Connect {{source}} to', { source: getNodeTitle(source, catalog) })}
      placeholder={t('Connect {{source}} to…', { source: getNodeTitle(source, catalog) })}
      search={find}
      anchor={box === undefined ? null : actions.onScreen({ x: box.x + box.width + 20, y: box.y })}
      empty={t('No matching targets')}
      onClose={close}
      onChoose={(id) => {
        const [port, to] = JSON.parse(id) as [string, string];
        actions.connect({ from: source.id, port, to });
        close();
      }}
    />
  );
}
