import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { NodeType } from '../canvas/model/catalog.ts';
import type { Entry, JsonObject } from '../canvas/model/document.ts';
import { setConfig } from '../canvas/model/edit/edit-config.ts';
import { changeNodes, setName } from '../canvas/model/edit/edit-nodes.ts';
import type { Editor } from '../canvas/state/editor.ts';
import { queryClient } from '../data/query-client.ts';
import { toErrorText } from '../data/error-text.ts';
import { ConfigForm } from '../node-panel/form/config-form.tsx';
import { useForm } from '../node-panel/form/form-context.ts';
import { createFilledObject, type Schema } from '../node-panel/model/field.ts';
import { Alert, ErrorAlert } from '../ui/alert.tsx';
import { Button } from '../ui/button.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { toast } from '../ui/overlays/toast.tsx';
import { AuthenticationField } from './authentication-field.tsx';
import { listAuthenticationMethods } from './authentication-methods.ts';
import { readNodeOperation } from './operation-types.ts';
import { OperationSelect } from './operation-select.tsx';
import { createOperationQuery, usePack } from './use-operations.ts';
import { t } from '../i18n/index.ts';

/** Lengths of a description, in characters. */
const SHORT_DESCRIPTION_LENGTH = 240;

/** The configuration of a pack's node: operation, authentication, and the fields of the operation. */
export function OperationForm({ type, node, editor }: { type: NodeType; node: Entry; editor: Editor }) {
  const { errors } = useForm();
  const config = node.config ?? {};
  const newest = editor.catalog.get(node.type) ?? type;
  const pack = newest.pack!.name;
  const version = node.version ?? newest.version;
  const given = config['operation'];
  const operation = typeof given === 'string' ? given : '';

  const choose = async (next: string, title: string): Promise<void> => {
    const target = { pack, version, operation: next };
    try {
      const detail = await queryClient.fetchQuery(createOperationQuery(newest, target));
      const schema = detail.config_schema as Schema;
      const titles = new Set([newest.name, currentTitle(newest, node)]);
      editor.change(
        t('Choose operation'),
        (doc) => {
          const entry = doc.nodes.get(node.id);
          if (entry === undefined) return doc;
          const set = setConfig(doc, editor.catalog, node.id, moved(entry.config ?? {}, schema, next));
          // A name that was given stays.
          const isOwn = entry.name !== undefined && !titles.has(entry.name);
          return isOwn ? set : changeNodes(set, [node.id], (one) => setName(one, title));
        },
        { announce: t('Operation: {{title}}', { title }) },
      );
    } catch (error) {
      toast({ tone: 'bad', title: t('Could not load the operation'), text: toErrorText(error) });
    }
  };

  return (
    <>
      {version !== newest.version && (
        <Alert
          action={
            <Button
              size="small"
              onClick={() =>
                editor.change(t('Change version'), (doc) =>
                  changeNodes(doc, [node.id], (entry) => ({ ...entry, version: newest.version })),
                )
              }
            >
              {t('Use {{version}}', { version: newest.version })}
            </Button>
          }
        >
          {t('This node uses version {{version}}. Version {{newest}} is installed.', {
            version,
            newest: newest.version,
          })}
        </Alert>
      )}
      <OperationSelect
        type={newest}
        pack={pack}
        version={version}
        operation={operation}
        error={errors.get('config.operation') ?? null}
        onChoose={(next, title) => void choose(next, title)}
      />
      {operation !== '' && <OperationFields key={`${version} ${operation}`} type={newest} node={node} />}
    </>
  );
}

/** The name that a node got from its operation; undefined while that is not loaded. */
function currentTitle(type: NodeType, node: Entry): string | undefined {
  const current = readNodeOperation(type, node);
  return current === null
    ? undefined
    : queryClient.getQueryData<{ title: string }>(createOperationQuery(type, current).queryKey)?.title;
}

/** The configuration for another operation, with the fields that both have. */
function moved(config: JsonObject, schema: Schema, operation: string): JsonObject {
  const knownKeys = new Set(Object.keys(schema.properties ?? {}));
  const retained = Object.fromEntries(
    Object.entries(config).filter(([key]) => knownKeys.has(key) && key !== 'body'),
  );
  return { ...(createFilledObject(schema) as JsonObject), ...retained, operation };
}

function OperationFields({ type, node }: { type: NodeType; node: Entry }) {
  const config = node.config ?? {};
  const operation = readNodeOperation(type, node)!;
  const form = useQuery(createOperationQuery(type, operation));
  const pack = usePack(operation.pack, operation.version);
  if (form.error !== null && form.data === undefined)
    return <ErrorAlert error={form.error} onRetry={() => void form.refetch()} />;
  if (form.data === undefined || (pack.data === undefined && pack.error === null)) return <Skeleton />;
  const schema = form.data.config_schema as Schema;
  const methods = listAuthenticationMethods(pack.data?.authentication ?? [], form.data.security);
  // Without methods, authentication is a field as in http_request.
  const apart = methods.length === 0 ? ['operation'] : ['operation', 'apiKeys', 'authentication'];
  return (
    <>
      {form.data.deprecated && <Alert tone="warn">{t('This operation is deprecated.')}</Alert>}
      <Description text={form.data.description} />
      {methods.length > 0 && <AuthenticationField methods={methods} schema={schema} config={config} />}
      <ConfigForm
        schema={{ ...schema, properties: without(schema.properties ?? {}, apart) }}
        config={without(config, apart)}
      />
    </>
  );
}

function without<T>(object: Readonly<Record<string, T>>, keys: readonly string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}

function Description({ text }: { text: string }) {
  const [isOpen, setIsOpen] = useState(false);
  const isLong = text.length > SHORT_DESCRIPTION_LENGTH;
  if (text === '') return null;
  return (
    <div className="operation-about">
      <p className="panel__about">
        {isLong && !isOpen ? `${text.slice(0, SHORT_DESCRIPTION_LENGTH).trimEnd()}…` : text}
      </p>
      {isLong && (
        <Button size="small" variant="quiet" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? t('Show less') : t('Show more')}
        </Button>
      )}
    </div>
  );
}
