import { createContext, useContext, useMemo } from 'react';
import type { NodeType } from '../../canvas/model/catalog.ts';
import type { Entry } from '../../canvas/model/document.ts';
import { setConfig } from '../../canvas/model/edit/edit-config.ts';
import { changeNodes, setName } from '../../canvas/model/edit/edit-nodes.ts';
import type { Editor } from '../../canvas/state/editor.ts';
import { ConfigForm } from '../../node-panel/form/config-form.tsx';
import { FormProvider, useForm, type FieldProps } from '../../node-panel/form/form-context.ts';
import { FieldRow } from '../../node-panel/form/field-row.tsx';
import { createFilledObject, type Schema } from '../../node-panel/model/field.ts';
import { isRecord } from '../../node-panel/model/field-path.ts';
import { McpToolSelect } from './mcp-tool-select.tsx';
import type { McpTool } from './mcp-tools.ts';
import { t } from '../../i18n/index.ts';

type Edited = { readonly node: Entry; readonly choose: (tool: McpTool, tools: readonly McpTool[]) => void };
const EditedContext = createContext<Edited | null>(null);

/** The configuration of a tool call: the server, the tool from its list, and the tool's arguments. */
export function McpToolForm({ type, node, editor }: { type: NodeType; node: Entry; editor: Editor }) {
  const form = useForm();
  const inner = useMemo(() => ({ ...form, Row: McpRow }), [form]);
  const edited = useMemo(
    (): Edited => ({
      node,
      choose: (tool, tools) =>
        editor.change(
          t('Choose tool'),
          (doc) => {
            const entry = doc.nodes.get(node.id);
            if (entry === undefined) return doc;
            const { arguments: given, ...config } = entry.config ?? {};
            const input = moveArguments(given, tool);
            const set = setConfig(doc, editor.catalog, node.id, {
              ...config,
              tool: tool.name,
              ...(input === undefined ? {} : { arguments: input }),
            } as NonNullable<Entry['config']>);
            // A name that the user chose is kept.
            const titles = new Set([type.name, ...tools.map(({ title }) => title)]);
            const isChosen = entry.name !== undefined && !titles.has(entry.name);
            return isChosen ? set : changeNodes(set, [node.id], (target) => setName(target, tool.title));
          },
          { announce: t('Tool: {{title}}', { title: tool.title }) },
        ),
    }),
    [node, editor, type],
  );
  return (
    <EditedContext.Provider value={edited}>
      <FormProvider value={inner}>
        <ConfigForm schema={type.config_schema as Schema} config={node.config ?? {}} />
      </FormProvider>
    </EditedContext.Provider>
  );
}

function McpRow(props: FieldProps) {
  const edited = useContext(EditedContext);
  const isTool = props.fieldPath.length === 1 && props.fieldPath[0] === 'tool';
  return edited === null || !isTool ? <FieldRow {...props} /> : <McpToolSelect {...props} {...edited} />;
}

/** The arguments for a new tool: the present ones that it knows, and those that it requires. */
function moveArguments(given: unknown, tool: McpTool): Record<string, unknown> | undefined {
  const schema = tool.input_schema as Schema;
  const knownKeys = new Set(Object.keys(schema.properties ?? {}));
  const retained = Object.entries(isRecord(given) ? given : {}).filter(([key]) => knownKeys.has(key));
  const moved = { ...createFilledObject(schema), ...Object.fromEntries(retained) };
  return knownKeys.size === 0 ? undefined : moved;
}
