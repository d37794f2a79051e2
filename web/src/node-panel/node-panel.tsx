import { Braces, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { NodePanelProps } from '../canvas/panel/node-panel-props.ts';
import { titleOf } from '../canvas/model/document.ts';
import { TypeIcon } from '../canvas/components/type-icon.tsx';
import type { Pins } from '../runs/pins.ts';
import type { DisplayedRun } from '../runs/displayed-run.ts';
import { IconButton } from '../ui/button.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { fieldHref } from '../data/editor-link.ts';
import { NodeAbout } from './node-docs.tsx';
import { NodeData } from './node-data.tsx';
import { NodeSettings } from './node-settings.tsx';
import { showField } from './show-field.ts';

/** Requests the data tab of a node for a run; a new object for each request. */
export type AskedData = { readonly nodeId: string; readonly path?: string | undefined };

export type AskedField = { readonly nodeId: string; readonly field: string };

/** The panel beside the canvas: a node's settings, data and documentation. */
export function NodePanel({
  run,
  pins,
  asked,
  askedField,
  onStarted,
  ...props
}: NodePanelProps & {
  run: DisplayedRun | null;
  pins: Pins;
  asked: AskedData | null;
  /** Focuses a field of a node; a new object for each request. */
  askedField: AskedField | null;
  onStarted: (executionId: string) => void;
}) {
  const { node, editor, onClose } = props;
  const [tab, setTab] = useState('settings');
  const [isJson, setIsJson] = useState(false);
  const shownField = useRef<AskedField | null>(null);
  useEffect(() => {
    if (asked?.nodeId === node.id) setTab('data');
    // Only on a request, so that a user who returns to the settings stays there.
  }, [asked, node.id]);
  useEffect(() => {
    if (askedField?.nodeId !== node.id || shownField.current === askedField) return;
    if (tab !== 'settings' || isJson) {
      setTab('settings');
      setIsJson(false);
      return;
    }
    shownField.current = askedField;
    showField(askedField.field);
  }, [askedField, node.id, tab, isJson]);
  const type = editor.catalogue.get(node.type);
  const runs = run?.of(node.id) ?? [];
  return (
    <div className="panel" id="node-panel" data-node={node.id}>
      <header className="panel__head">
        <TypeIcon type={type} />
        <div className="panel__titles">
          <h2 className="panel__title">{titleOf(node)}</h2>
          <p className="panel__type">{type?.name ?? node.type}</p>
        </div>
        {tab === 'settings' && (
          <IconButton
            label={isJson ? 'Edit as form' : 'Edit as JSON'}
            size="small"
            icon={<Braces size={15} />}
            aria-pressed={isJson}
            onClick={() => setIsJson(!isJson)}
          />
        )}
        <IconButton label="Close panel" size="small" icon={<X size={15} />} onClick={onClose} />
      </header>
      <Tabs
        label={`Details of ${titleOf(node)}`}
        value={tab}
        onChange={setTab}
        tabs={[
          {
            id: 'settings',
            label: 'Settings',
            content: (
              <NodeSettings
                key={node.id}
                {...props}
                type={type}
                run={run}
                isJson={isJson}
                onStarted={onStarted}
              />
            ),
          },
          {
            id: 'data',
            label: runs.length > 1 ? `Data (${runs.length})` : 'Data',
            content: (
              <NodeData
                key={`${run?.execution.id} ${node.id}`}
                nodeId={node.id}
                runs={runs}
                hasRun={run !== null}
                pins={pins}
                asked={asked?.nodeId === node.id ? asked : null}
                config={node.config ?? {}}
                fieldHref={(field) => fieldHref(props.saver.workflow.get().id, node.id, field)}
              />
            ),
          },
          { id: 'about', label: 'About', content: <NodeAbout type={type} node={node} /> },
        ]}
      />
    </div>
  );
}
