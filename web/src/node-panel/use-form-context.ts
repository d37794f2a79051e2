import { useMemo } from 'react';
import type { NodePanelProps } from '../canvas/panel/node-panel-props.ts';
import type { NodeType } from '../canvas/model/catalog.ts';
import { getNodeTitle } from '../canvas/model/title.ts';
import { useStoreSelector } from '../canvas/components/canvas-context.ts';
import { useSecretChoices } from '../credentials/use-credentials.ts';
import { findChoiceSource } from './loaded/choice-source.ts';
import type { TemplateScope } from './model/template-scope.ts';
import { requestHost, getServiceHost } from './model/service-host.ts';
import type { Inserter } from './data/inserter.ts';
import { useWorkflowNames } from './use-names.ts';
import { FieldRow } from './form/field-row.tsx';
import type { FormContext } from './form/form-context.ts';

/** What templates of the node see, and the fields that use it. */
export type TemplateData = Pick<FormContext, 'executionId' | 'dataKey'> & {
  /** Without the names of secrets. */
  readonly scope: TemplateScope;
  readonly inserter: Inserter;
};

/** The context of the form of a node. `change` receives its edits. */
export function useFormContext({
  node,
  issues,
  editor,
  type,
  data,
  change,
}: Pick<NodePanelProps, 'node' | 'issues' | 'editor'> & {
  type: NodeType | undefined;
  data: TemplateData;
  change: FormContext['change'];
}): FormContext {
  const doc = useStoreSelector(editor.history, (history) => history.doc);
  const choices = useSecretChoices();
  const secrets = useMemo(() => (choices ?? []).map(({ name }) => name), [choices]);
  const schema = useMemo(() => JSON.stringify(type?.config_schema ?? {}), [type]);
  const workflows = useWorkflowNames(schema.includes('"weft-workflow"'));
  return useMemo(
    () => ({
      nodeId: node.id,
      ...data,
      scope: { ...data.scope, secrets },
      errors: new Map(issues.map(({ field, issue }) => [field, issue])),
      nodes: [...doc.nodes.values()]
        .filter(({ id }) => id !== node.id)
        .map((entry) => ({ value: entry.id, label: getNodeTitle(entry, editor.catalog) })),
      secretFields: type?.secret_fields ?? [],
      literalFields: readLiteralFields(type?.config_schema),
      workflows,
      requestHost: requestHost(node.config, type?.config_schema),
      serviceHost: getServiceHost(node.type, node.config, type?.config_schema),
      connectionPreset: null,
      choiceSource: findChoiceSource(type, node),
      Row: FieldRow,
      change,
    }),
    [doc, editor.catalog, node, type, data, issues, secrets, workflows, change],
  );
}

function readLiteralFields(schema: NodeType['config_schema'] | undefined): readonly string[] {
  const patterns = schema?.['x-literal'];
  return Array.isArray(patterns) ? patterns.filter((one) => typeof one === 'string') : [];
}
