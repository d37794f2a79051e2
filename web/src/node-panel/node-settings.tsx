import { useCallback, useMemo } from 'react';
import type { NodePanelProps } from '../canvas/panel/node-panel-props.ts';
import type { NodeType } from '../canvas/model/catalogue.ts';
import { titleOf, type Entry, type JsonObject } from '../canvas/model/document.ts';
import { setConfig } from '../canvas/model/edit-config.ts';
import { changeNodes, setDisabled, setName } from '../canvas/model/edit-nodes.ts';
import { usePart } from '../canvas/components/canvas-context.ts';
import { TestWebhook } from '../runs/test-webhook.tsx';
import type { DisplayedRun } from '../runs/displayed-run.ts';
import { Field, Input, Switch, TextAreaField } from '../ui/field.tsx';
import { Alert } from '../ui/alert.tsx';
import { ConfigForm, ConfigJson, SettingsFields } from './form/config-form.tsx';
import { CurlImport } from './form/curl-import.tsx';
import { FieldRow } from './form/field-row.tsx';
import { Fold } from './form/fold.tsx';
import { FormProvider, type FormContext } from './form/form-context.ts';
import { IdField } from './id-field.tsx';
import { fieldsOf, type Schema } from './model/field.ts';
import { countSet, layOut, shapeOf } from './model/form-layout.ts';
import { fieldName, isRecord, withValue, type Place } from './model/json-pointer.ts';
import { SETTINGS_GROUP } from './model/settings-group.ts';
import { scopeOfNode } from './template-scope-for-node.ts';
import { useConnectionNames, useSecretNames, useWorkflowNames } from './use-names.ts';

/** Everything about a node that can be set. */
export function NodeSettings({
  node,
  issues,
  editor,
  onRename,
  type,
  run,
  isJson,
  saver,
  onStarted,
}: NodePanelProps & {
  type: NodeType | undefined;
  run: DisplayedRun | null;
  isJson: boolean;
  onStarted: (executionId: string) => void;
}) {
  const config = node.config ?? {};
  const change = (label: string, edit: (entry: Entry) => Entry): void => {
    editor.change(label, (doc) => changeNodes(doc, [node.id], edit), {
      merge: `${label} ${node.id}`,
      say: '',
    });
  };
  const changeConfig = useCallback(
    (place: Place, value: unknown): void => {
      editor.change(
        'Configure',
        (doc) => {
          const current = doc.nodes.get(node.id)?.config ?? {};
          const next = withValue(current, place, value);
          return isRecord(next) ? setConfig(doc, editor.catalogue, node.id, next as JsonObject) : doc;
        },
        { merge: `configure ${node.id} ${fieldName(place)}`, say: '' },
      );
    },
    [editor, node.id],
  );
  const form = useFormContext({ node, issues, editor, type, run, change: changeConfig });
  const schema = type?.config_schema as Schema | undefined;
  const settings = useMemo(
    () =>
      schema === undefined
        ? []
        : (layOut(fieldsOf(shapeOf(schema, config)), config).groups.find(
            ({ title }) => title === SETTINGS_GROUP,
          )?.fields ?? []),
    [schema, config],
  );
  const settingsCount =
    countSet(settings, config) +
    [node.name, node.notes, node.disabled].filter((value) => value !== undefined).length;
  const loose = issues.filter(({ field }) => field === '' || !field.startsWith('config.'));
  return (
    <FormProvider value={form}>
      <div className="panel__body">
        {loose.map(({ field, issue }) => (
          <Alert key={`${field} ${issue}`} tone="bad">
            {field === '' ? issue : `${field}: ${issue}`}
          </Alert>
        ))}
        {type === undefined ? (
          <Alert tone="bad">Unknown node type {node.type}: it can only be edited as JSON.</Alert>
        ) : null}
        {!isJson && node.type === 'http_request' && <CurlImport config={config} />}
        {isJson || type === undefined ? (
          <ConfigJson config={config} />
        ) : (
          <ConfigForm schema={type.config_schema as Schema} config={config} />
        )}
        {node.type === 'trigger' && config['triggerType'] === 'webhook' && (
          <TestWebhook
            workflowId={saver.workflow.get().id}
            nodeId={node.id}
            save={() => saver.flush()}
            onStarted={onStarted}
          />
        )}
        <Fold
          title={SETTINGS_GROUP}
          count={settingsCount}
          isOpenAtFirst={settings.some(({ key }) => form.faults.has(fieldName([key])))}
        >
          {!isJson && <SettingsFields fields={settings} config={config} />}
          <Field label="Name" isOptional>
            {(control) => (
              <Input
                {...control}
                value={node.name ?? ''}
                placeholder={node.id}
                maxLength={200}
                onChange={({ target }) => change('Rename', (entry) => withName(entry, target.value))}
                onBlur={({ target }) => change('Rename', (entry) => setName(entry, target.value))}
              />
            )}
          </Field>
          <IdField key={node.id} node={node} editor={editor} onRename={onRename} />
          <TextAreaField
            label="Notes"
            isOptional
            rows={2}
            maxLength={10_000}
            value={node.notes ?? ''}
            onChange={({ target }) => change('Edit note', (entry) => withNotes(entry, target.value))}
          />
          <div className="panel__row">
            <span>
              Enabled
              <span className="panel__hint">A disabled node passes its input through unchanged.</span>
            </span>
            <Switch
              label="Enabled"
              isOn={node.disabled !== true}
              onChange={(isOn) => change(isOn ? 'Enable' : 'Disable', (entry) => setDisabled(entry, !isOn))}
            />
          </div>
        </Fold>
      </div>
    </FormProvider>
  );
}

function useFormContext({
  node,
  issues,
  editor,
  type,
  run,
  change,
}: Pick<NodePanelProps, 'node' | 'issues' | 'editor'> & {
  type: NodeType | undefined;
  run: DisplayedRun | null;
  change: FormContext['change'];
}): FormContext {
  const doc = usePart(editor.history, (history) => history.doc);
  const secrets = useSecretNames();
  const schema = useMemo(() => JSON.stringify(type?.config_schema ?? {}), [type]);
  const workflows = useWorkflowNames(schema.includes('"weft-workflow"'));
  const connections = useConnectionNames(schema.includes('"weft-connection"'));
  return useMemo(
    () => ({
      nodeId: node.id,
      scope: scopeOfNode(doc, editor.catalogue, node.id, run, secrets),
      executionId: run?.execution.id ?? null,
      faults: new Map(issues.map(({ field, issue }) => [field, issue])),
      nodes: [...doc.nodes.values()]
        .filter(({ id }) => id !== node.id)
        .map((entry) => ({ value: entry.id, label: titleOf(entry) })),
      secrets,
      secretFields: type?.secret_fields ?? [],
      workflows,
      connections,
      Row: FieldRow,
      change,
    }),
    [doc, editor, node.id, type, run, issues, secrets, workflows, connections, change],
  );
}

/** As it is typed: a space at the end is the beginning of the next word. */
function withName({ name: _name, ...rest }: Entry, name: string): Entry {
  return name === '' ? rest : { ...rest, name };
}

function withNotes({ notes: _notes, ...rest }: Entry, notes: string): Entry {
  return notes === '' ? rest : { ...rest, notes };
}
