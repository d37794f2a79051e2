import { useCallback, useMemo } from 'react';
import type { NodePanelProps } from '../canvas/panel/node-panel-props.ts';
import type { NodeType } from '../canvas/model/catalog.ts';
import type { Entry, JsonObject } from '../canvas/model/document.ts';
import { setConfig } from '../canvas/model/edit/edit-config.ts';
import { changeNodes, setDisabled, setName } from '../canvas/model/edit/edit-nodes.ts';
import type { ChatTest } from '../runs/chat/chat-test.ts';
import type { Listening } from '../runs/webhook/listening.ts';
import type { Pins } from '../runs/pins/pins.ts';
import { isChat, isForm, isTool, isWebhook } from '../runs/webhook/webhook-request.ts';
import { FormPanel } from '../runs/webhook/form-panel.tsx';
import { ChatPanel, ToolPanel } from '../runs/webhook/client-panels.tsx';
import { WebhookPanel } from '../runs/webhook/webhook-panel.tsx';
import { Field, Input, Switch, TextAreaField } from '../ui/field.tsx';
import { Alert } from '../ui/alert.tsx';
import { McpToolForm } from '../connectors/mcp/mcp-tool-form.tsx';
import { MCP_NODE } from '../connectors/mcp/mcp-tools.ts';
import { OperationForm } from '../connectors/operation-form.tsx';
import { ConfigForm, ConfigJson, SettingsFields } from './form/config-form.tsx';
import { CurlImport } from './form/curl-import.tsx';
import { Fold } from './form/fold.tsx';
import { FormProvider } from './form/form-context.ts';
import { useFormContext, type TemplateData } from './use-form-context.ts';
import { IdField } from './id-field.tsx';
import { listFields, type Schema } from './model/field.ts';
import { countSet, arrangeFields, selectShape } from './model/form-layout.ts';
import { formatFieldName, isRecord, withValue, type FieldPath } from './model/field-path.ts';
import { GENERAL_GROUP } from './model/general-group.ts';
import { t } from '../i18n/index.ts';

/** One object, so that memoized values do not change with each render. */
const NO_CONFIG: JsonObject = {};

/** Everything about a node that can be set. */
export function NodeSettings({
  node,
  issues,
  editor,
  onRename,
  type,
  data,
  isJson,
  saver,
  pins,
  listening,
  chat,
}: NodePanelProps & {
  type: NodeType | undefined;
  data: TemplateData;
  isJson: boolean;
  pins: Pins;
  listening: Listening;
  chat: ChatTest;
}) {
  const config = node.config ?? NO_CONFIG;
  const change = (label: string, edit: (entry: Entry) => Entry): void => {
    editor.change(label, (doc) => changeNodes(doc, [node.id], edit), {
      merge: `${label} ${node.id}`,
      announce: '',
    });
  };
  const changeConfig = useCallback(
    (fieldPath: FieldPath, value: unknown): void => {
      editor.change(
        t('Configure'),
        (doc) => {
          const current = doc.nodes.get(node.id)?.config ?? {};
          const next = withValue(current, fieldPath, value);
          return isRecord(next) ? setConfig(doc, editor.catalog, node.id, next as JsonObject) : doc;
        },
        { merge: `configure ${node.id} ${formatFieldName(fieldPath)}`, announce: '' },
      );
    },
    [editor, node.id],
  );
  const form = useFormContext({ node, issues, editor, type, data, change: changeConfig });
  const schema = type?.config_schema as Schema | undefined;
  const settings = useMemo(
    () =>
      schema === undefined
        ? []
        : (arrangeFields(listFields(selectShape(schema, config)), config).groups.find(
            ({ title }) => title === GENERAL_GROUP,
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
        {isWebhook(node) && (
          <WebhookPanel node={node} editor={editor} saver={saver} pins={pins} listening={listening} />
        )}
        {isForm(node) && <FormPanel node={node} editor={editor} saver={saver} />}
        {isTool(node) && <ToolPanel node={node} editor={editor} saver={saver} />}
        {isChat(node) && <ChatPanel node={node} editor={editor} saver={saver} chat={chat} />}
        {loose.map(({ field, issue }) => (
          <Alert key={`${field} ${issue}`} tone="bad">
            {field === '' ? issue : `${field}: ${issue}`}
          </Alert>
        ))}
        {type === undefined ? (
          <Alert tone="bad">
            {t('Unknown node type {{type}}: it can only be edited as JSON.', { type: node.type })}
          </Alert>
        ) : null}
        {!isJson && node.type === 'http_request' && <CurlImport config={config} />}
        {isJson || type === undefined ? (
          <ConfigJson config={config} />
        ) : node.type === MCP_NODE ? (
          <McpToolForm type={type} node={node} editor={editor} />
        ) : type.pack == null ? (
          <ConfigForm schema={type.config_schema as Schema} config={config} />
        ) : (
          <OperationForm type={type} node={node} editor={editor} />
        )}
        <Fold
          title={GENERAL_GROUP}
          count={settingsCount}
          isOpenAtFirst={settings.some(({ key }) => form.errors.has(formatFieldName([key])))}
        >
          {!isJson && <SettingsFields fields={settings} config={config} />}
          <Field label={t('Name')} isOptional>
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
            label={t('Notes')}
            isOptional
            rows={2}
            maxLength={10_000}
            value={node.notes ?? ''}
            onChange={({ target }) => change(t('Edit note'), (entry) => withNotes(entry, target.value))}
          />
          <div className="panel__row">
            <span>
              {t('Enabled')}
              <span className="panel__hint">{t('A disabled node passes its input through unchanged.')}</span>
            </span>
            <Switch
              label={t('Enabled')}
              isOn={node.disabled !== true}
              onChange={(isOn) =>
                change(isOn ? t('Enable') : t('Disable'), (entry) => setDisabled(entry, !isOn))
              }
            />
          </div>
        </Fold>
      </div>
    </FormProvider>
  );
}

/** As it is typed: a space at the end is the beginning of the next word. */
function withName({ name: _name, ...rest }: Entry, name: string): Entry {
  return name === '' ? rest : { ...rest, name };
}

function withNotes({ notes: _notes, ...rest }: Entry, notes: string): Entry {
  return notes === '' ? rest : { ...rest, notes };
}
