import { useCallback } from 'react';
import { useStore } from '../../data/store.ts';
import { searchTypes, type NodeType } from '../model/catalogue.ts';
import { canFollow } from '../model/ports.ts';
import type { AddTarget } from '../state/ui-state.ts';
import { useCanvas } from './canvas-context.ts';
import { Chooser, type Choice } from './command-list.tsx';
import { groupTitle, orderedTypes } from './type-groups.ts';
import { TypeIcon } from './type-icon.tsx';

/** Adds a node where one is: types are found by typing. */
export function QuickAdd() {
  const { editor, actions, ui } = useCanvas();
  const { adding } = useStore(ui);
  const close = useCallback(() => {
    ui.show({ adding: null });
    actions.focus();
  }, [ui, actions]);
  if (adding === null) return null;
  const { catalogue } = editor;
  const search = (text: string): Choice[] =>
    (text.trim() === '' ? orderedTypes(catalogue) : searchTypes(catalogue, text))
      .filter((type) => follows(type, adding, editor))
      .map((type) => ({
        id: type.id,
        title: type.name,
        detail: type.description,
        icon: <TypeIcon type={type} />,
        group: groupTitle(type.category),
      }));
  return (
    <Chooser
      key={JSON.stringify(adding)}
      label="Add node"
      placeholder="Add node…"
      search={search}
      at={adding.screen ?? { x: innerWidth / 2 - 160, y: innerHeight / 4 }}
      empty="No matching node types"
      onClose={close}
      onChoose={(type) => {
        actions.add(type, adding);
        close();
      }}
    />
  );
}

/** Offers only types that fit: no trigger behind a node or in a body, nothing without a matching port. */
function follows(
  type: NodeType,
  { from, to, place, edge }: AddTarget,
  editor: ReturnType<typeof useCanvas>['editor'],
): boolean {
  const isTrigger = type.category === 'trigger';
  if (isTrigger) return from === undefined && place === undefined && edge === undefined;
  const source = from === undefined ? undefined : editor.doc().nodes.get(from.node);
  if (from !== undefined && !canFollow(source, from.port, type.id, editor.catalogue)) return false;
  return to === undefined || type.outputs.length > 0;
}
