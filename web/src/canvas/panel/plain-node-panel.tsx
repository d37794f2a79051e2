import { CircleAlert, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { IconButton } from '../../ui/button.tsx';
import { Field, Input, Switch, TextArea, TextAreaField } from '../../ui/field.tsx';
import { isObject, titleOf, type Entry, type JsonObject } from '../model/document.ts';
import { setConfig } from '../model/edit-config.ts';
import { changeNodes, idFault, setDisabled, setName } from '../model/edit-nodes.ts';
import { jsonEqual } from '../model/json-equal.ts';
import { TypeIcon } from '../view/type-icon.tsx';
import type { NodePanelProps } from './node-panel.ts';

/** A node's name, id, notes and configuration, the last as JSON. */
export function PlainNodePanel({ node, issues, editor, onClose, onRename }: NodePanelProps) {
  const type = editor.catalogue.get(node.type);
  const change = (label: string, edit: (entry: Entry) => Entry): void => {
    editor.change(label, (doc) => changeNodes(doc, [node.id], edit), {
      merge: `${label} ${node.id}`,
      say: '',
    });
  };
  return (
    <div className="panel" id="node-panel">
      <header className="panel__head">
        <TypeIcon type={type} />
        <div className="panel__titles">
          <h2 className="panel__title">{titleOf(node)}</h2>
          <p className="panel__type">{type?.name ?? node.type}</p>
        </div>
        <IconButton label="Close the panel" size="small" icon={<X size={15} />} onClick={onClose} />
      </header>
      <div className="panel__body">
        {type !== undefined && <p className="panel__about">{type.description}</p>}
        {issues.length > 0 && (
          <ul className="panel__issues" aria-label="Faults">
            {issues.map(({ field, issue }) => (
              <li key={`${field} ${issue}`}>
                <CircleAlert size={14} aria-hidden="true" />
                <span>
                  {field !== '' && <code>{field}</code>} {issue}
                </span>
              </li>
            ))}
          </ul>
        )}
        <Field label="Name" isOptional>
          {(control) => (
            <Input
              {...control}
              value={node.name ?? ''}
              placeholder={node.id}
              maxLength={200}
              onChange={({ target }) => change('Rename', (entry) => setRawName(entry, target.value))}
              onBlur={({ target }) => change('Rename', (entry) => setName(entry, target.value))}
            />
          )}
        </Field>
        <IdField key={node.id} node={node} editor={editor} onRename={onRename} />
        <ConfigField key={`config ${node.id}`} node={node} editor={editor} />
        <TextAreaField
          label="Notes"
          isOptional
          rows={2}
          maxLength={10_000}
          value={node.notes ?? ''}
          onChange={({ target }) => change('Write a note', (entry) => setNotes(entry, target.value))}
        />
        <div className="panel__row">
          <span>
            Enabled
            <span className="panel__hint">Disabled, what arrives goes straight through.</span>
          </span>
          <Switch
            label="Enabled"
            isOn={node.disabled !== true}
            onChange={(isOn) => change(isOn ? 'Enable' : 'Disable', (entry) => setDisabled(entry, !isOn))}
          />
        </div>
      </div>
    </div>
  );
}

function IdField({ node, editor, onRename }: Pick<NodePanelProps, 'node' | 'editor' | 'onRename'>) {
  const [text, setText] = useState(node.id);
  const fault = text === node.id ? null : idFault(editor.doc(), text, node.id);
  const keep = (): void => {
    if (text !== node.id && fault === null) onRename(node.id, text);
  };
  return (
    <Field label="Id" hint={`In templates: {{ nodes.${node.id} }}`} error={fault}>
      {(control) => (
        <Input
          {...control}
          className="input--mono"
          value={text}
          onChange={({ target }) => setText(target.value)}
          onBlur={keep}
          onKeyDown={({ key }) => {
            if (key === 'Enter') keep();
          }}
        />
      )}
    </Field>
  );
}

/** What is typed counts as soon as it is JSON. */
function ConfigField({ node, editor }: Pick<NodePanelProps, 'node' | 'editor'>) {
  const { config = {} } = node;
  const [text, setText] = useState(() => print(config));
  const told = useRef<JsonObject>(config);
  const parsed = parse(text);
  useEffect(() => {
    // Changed elsewhere: undone, or by a connection.
    if (jsonEqual(told.current, config)) return;
    told.current = config;
    setText(print(config));
  }, [config]);
  const edit = (next: string): void => {
    setText(next);
    const { value } = parse(next);
    if (value === null || jsonEqual(value, config)) return;
    told.current = value;
    editor.change('Configure', (doc) => setConfig(doc, editor.catalogue, node.id, value), {
      merge: `configure ${node.id}`,
      say: '',
    });
  };
  return (
    <Field label="Configuration" hint="JSON; texts may hold templates." error={parsed.fault}>
      {(control) => (
        <TextArea
          {...control}
          className="input--mono panel__config"
          rows={14}
          spellCheck={false}
          value={text}
          onChange={({ target }) => edit(target.value)}
        />
      )}
    </Field>
  );
}

function parse(text: string): { value: JsonObject | null; fault: string | null } {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? { value, fault: null } : { value: null, fault: 'takes an object: {…}' };
  } catch (error) {
    return { value: null, fault: error instanceof Error ? error.message : 'is no JSON' };
  }
}

const print = (config: JsonObject): string => JSON.stringify(config, null, 2);

/** As it is typed: a space at the end is the beginning of the next word. */
function setRawName({ name: _name, ...rest }: Entry, name: string): Entry {
  return name === '' ? rest : { ...rest, name };
}

function setNotes({ notes: _notes, ...rest }: Entry, notes: string): Entry {
  return notes === '' ? rest : { ...rest, notes };
}
