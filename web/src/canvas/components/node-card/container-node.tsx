import type { NodeProps } from '@xyflow/react';
import { Plus } from 'lucide-react';
import { memo, useContext } from 'react';
import { joinClassNames } from '../../../ui/class-names.ts';
import { useNodeRun } from '../../state/run-overlay.ts';
import { LANE_LABEL, type Lane } from '../../model/layout/boxes.ts';
import { addBody } from '../../model/edit/edit-bodies.ts';
import { getGraphIndex } from '../../model/graph-index.ts';
import { getBodyLabel, getNewBody } from '../../model/structure.ts';
import { getNodeTitle } from '../../model/title.ts';
import { useCanvas, useStoreSelector } from '../canvas-context.ts';
import { CardHead } from './node-card-header.tsx';
import { FarZoomContext } from './node-card.tsx';
import type { CardNode } from '../flow-elements.ts';
import { Ports } from './node-ports.tsx';
import { t } from '../../../i18n/index.ts';

/** A node with bodies, each of which is drawn inside of it in a lane. */
export const Container = memo(function Container({
  data: { entry, lanes },
  selected,
  width = 0,
  height = 0,
}: NodeProps<CardNode>) {
  const { editor, ui, overlay, marks, issues, isReadOnly } = useCanvas();
  const isFar = useContext(FarZoomContext);
  const status = useNodeRun(overlay, entry.id)?.status;
  const isFaulty = useStoreSelector(issues, (all) => all.has(entry.id));
  const mark = marks.get(entry.id);
  const newBody = getNewBody(entry.type);
  return (
    <div
      className={joinClassNames(
        'step',
        'container',
        selected && 'step--selected',
        entry.disabled === true && 'step--disabled',
        isFaulty && 'step--faulty',
        status !== undefined && `step--${status}`,
        mark !== undefined && `marked marked--${mark}`,
      )}
    >
      <CardHead entry={entry} isFar={isFar}>
        {newBody !== null && !isReadOnly && (
          <button
            type="button"
            className="container__add nodrag"
            tabIndex={-1}
            title={newBody.describe(getNodeTitle(entry, editor.catalog))}
            onClick={() =>
              newBody.isTool === true
                ? ui.show({ addingTool: entry.id })
                : editor.change(newBody.action, (doc) => addBody(doc, entry.id))
            }
          >
            <Plus size={13} aria-hidden="true" />
            {newBody.noun}
          </button>
        )}
      </CardHead>
      {lanes.map((lane) => (
        <LaneView
          key={lane.body}
          lane={lane}
          container={entry.id}
          label={getBodyLabel(entry.type, lane.body)}
          isFar={isFar}
        />
      ))}
      {!isFar && <Ports entry={entry} width={width} height={height} />}
    </div>
  );
});

function LaneView({
  lane,
  container,
  label,
  isFar,
}: {
  lane: Lane;
  container: string;
  label: string;
  isFar: boolean;
}) {
  const { editor, actions, isReadOnly } = useCanvas();
  const count = useStoreSelector(
    editor.history,
    ({ doc }) => getGraphIndex(doc, editor.catalog).bodyNodes.get(container)?.get(lane.body)?.length ?? 0,
  );
  return (
    <div
      className="lane"
      style={{ left: lane.x, top: lane.y, width: lane.width, height: lane.height }}
      data-container={container}
      data-body={lane.body}
    >
      {!isFar && (
        <div className="lane__head" style={{ height: LANE_LABEL }}>
          <span className="lane__label">{label}</span>
          {!isReadOnly && (
            <button
              type="button"
              className="lane__add nodrag"
              tabIndex={-1}
              aria-label={t('Add node to {{label}}', { label })}
              title={t('Add node to {{label}}', { label })}
              onClick={(event) => {
                const { left, bottom } = event.currentTarget.getBoundingClientRect();
                actions.openAdd({
                  screen: { x: left, y: bottom },
                  bodyPosition: { container, body: lane.body, index: count },
                });
              }}
            >
              <Plus size={13} aria-hidden="true" />
            </button>
          )}
        </div>
      )}
      {count === 0 && !isFar && (
        <p className="lane__empty">{isReadOnly ? t('Empty') : t('Drop nodes here')}</p>
      )}
    </div>
  );
}
