import { useCallback } from 'react';
import { useStore } from '../../data/store.ts';
import { boxesOf } from '../model/boxes.ts';
import { connectFault } from '../model/edit-links.ts';
import { portsOf, errorPort } from '../model/ports.ts';
import { titleOf } from '../model/title.ts';
import { useCanvas } from './canvas-context.ts';
import { Chooser, type Choice } from './command-list.tsx';
import { TypeIcon } from './type-icon.tsx';

/** Connects a node by keyboard: a list of every port that its own can lead to. */
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
  const { catalogue } = editor;
  const { outputs, hasError } = portsOf(source, catalogue);
  const ports = [...outputs, ...(hasError ? [errorPort] : [])];
  const isOne = outputs.length === 1;

  const search = (text: string): Choice[] => {
    const words = text.trim().toLowerCase();
    const found: Choice[] = [];
    for (const { name: port } of ports)
      for (const entry of doc.nodes.values()) {
        const type = catalogue.get(entry.type);
        const target = titleOf(entry, catalogue);
        if (!`${port} ${target} ${entry.id} ${type?.name ?? ''}`.toLowerCase().includes(words)) continue;
        if (connectFault(doc, catalogue, { from: source.id, port, to: entry.id }) !== null) continue;
        found.push({
          id: JSON.stringify([port, entry.id]),
          title: target,
          detail: type?.name ?? entry.type,
          icon: <TypeIcon type={type} />,
          group: isOne && port !== 'error' ? 'Next' : `From ${port}`,
        });
        if (found.length >= 200) return found;
      }
    return found;
  };
  const box = boxesOf(doc, catalogue).get(source.id);
  return (
    <Chooser
      label={`Connect ${titleOf(source, catalogue)} to`}
      placeholder={`Connect ${titleOf(source, catalogue)} to…`}
      search={search}
      at={
        box === undefined
          ? { x: innerWidth / 2, y: 200 }
          : actions.onScreen({ x: box.x + box.width + 20, y: box.y })
      }
      empty="No matching targets"
      onClose={close}
      onChoose={(id) => {
        const [port, to] = JSON.parse(id) as [string, string];
        actions.connect({ from: source.id, port, to });
        close();
      }}
    />
  );
}
