import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ChevronDown, RefreshCw } from 'lucide-react';
import { useId, useMemo, useRef, useState } from 'react';
import { Chooser, type Choice } from '../../canvas/components/command-list.tsx';
import type { Entry, Point } from '../../canvas/model/document.ts';
import { search, type Searchable } from '../../canvas/model/search.ts';
import { FieldRow } from '../../node-panel/form/field-row.tsx';
import { useForm, type FieldProps } from '../../node-panel/form/form-context.ts';
import { formatFieldName } from '../../node-panel/model/field-path.ts';
import { ErrorAlert } from '../../ui/alert.tsx';
import { IconButton } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { formatServer, readMcpServer, type McpServer, type McpTool } from './mcp-tools.ts';
import { createMcpToolsQuery } from './use-mcp-tools.ts';
import { t } from '../../i18n/index.ts';

/** Results that are shown: more are found by typing. */
const MAX_RESULTS = 100;
const MAX_DETAIL_LENGTH = 120;
/** Is never asked: stands for a server that has no URL yet. */
const NO_SERVER: McpServer = { url: '' };

/**
 * Selects a tool from the list of the server, which is requested when the node or the list is opened, not
 * while the URL is typed. Without a list, the user types the name.
 */
export function McpToolSelect({
  node,
  choose,
  ...props
}: FieldProps & {
  node: Entry;
  choose: (tool: McpTool, tools: readonly McpTool[]) => void;
}) {
  const { field, fieldPath, value } = props;
  const { errors } = useForm();
  const queries = useQueryClient();
  const server = readMcpServer(node);
  const key = server === null ? null : formatServer(server);
  const [requestedKey, setRequestedKey] = useState(key);
  const list = useQuery({
    ...createMcpToolsQuery(server ?? NO_SERVER),
    enabled: key !== null && requestedKey === key,
  });
  const [anchor, setAnchor] = useState<Point | null>(null);
  const valueId = useId();
  const button = useRef<HTMLButtonElement>(null);
  const entries = useMemo(() => (list.data?.tools ?? []).map(createEntry), [list.data]);
  const name = typeof value === 'string' ? value : '';
  const selected = list.data?.tools.find((tool) => tool.name === name);
  const close = (): void => {
    setAnchor(null);
    button.current?.focus();
  };
  if (server === null) return <FieldRow {...props} />;
  const reload = (): void => {
    setRequestedKey(key);
    void queries.fetchQuery({ ...createMcpToolsQuery(server, true), staleTime: 0 }).catch(() => {});
  };
  const error = requestedKey === key ? list.error : null;
  if (error !== null && list.data === undefined)
    return (
      <div className="tool-select">
        <FieldRow {...props} />
        <ErrorAlert error={error} onRetry={reload} />
      </div>
    );
  const find = (text: string): Choice[] =>
    search(entries, text)
      .slice(0, MAX_RESULTS)
      .map(({ id, title, detail }) => ({ id, title, detail, icon: null, group: '' }));
  return (
    <div className="tool-select">
      <Field
        label={field.label}
        hint={selected === undefined ? null : describeEffects(selected)}
        error={errors.get(formatFieldName(fieldPath)) ?? null}
        path={formatFieldName(fieldPath)}
      >
        {(tied) => (
          <div className="tool-select__row">
            <button
              ref={button}
              type="button"
              id={tied.id}
              className="input operation-select"
              aria-haspopup="listbox"
              aria-expanded={anchor !== null}
              aria-describedby={[valueId, tied['aria-describedby']].filter(Boolean).join(' ')}
              data-invalid={tied['aria-invalid']}
              onClick={({ currentTarget }) => {
                const { left, bottom } = currentTarget.getBoundingClientRect();
                setRequestedKey(key);
                setAnchor({ x: left, y: bottom + 4 });
              }}
            >
              <span id={valueId} className={name === '' ? 'faint' : 'operation-select__name'}>
                {selected?.title ?? (name === '' ? t('Choose a tool') : name)}
              </span>
              <ChevronDown size={14} aria-hidden="true" />
            </button>
            <IconButton
              size="small"
              icon={<RefreshCw size={13} />}
              label={t('Reload tools')}
              isBusy={list.isFetching}
              onClick={reload}
            />
          </div>
        )}
      </Field>
      {selected !== undefined && selected.description !== '' && (
        <p className="panel__about">{selected.description}</p>
      )}
      {anchor !== null && (
        <Chooser
          label={t('Tools of {{name}}', { name: list.data?.server.title ?? server.url })}
          placeholder={t('Search tools…')}
          search={find}
          anchor={anchor}
          empty={list.data === undefined ? t('Loading tools…') : t('No matching tools')}
          onClose={close}
          onChoose={(id) => {
            const tool = list.data?.tools.find((one) => one.name === id);
            close();
            if (tool !== undefined) choose(tool, list.data?.tools ?? []);
          }}
        />
      )}
    </div>
  );
}

function createEntry({ name, title, description }: McpTool): Searchable & { readonly id: string } {
  const [first = ''] = description.split('\n', 1);
  const detail =
    first.length <= MAX_DETAIL_LENGTH ? first : `${first.slice(0, MAX_DETAIL_LENGTH).trimEnd()}…`;
  return { id: name, title, detail: detail === '' ? name : detail, keywords: [name] };
}

/** What the server states about a call, and what follows from it after a crash. */
function describeEffects({ read_only, idempotent, destructive }: McpTool): string {
  if (read_only) return t('Read-only. It is called again after a crash.');
  if (idempotent) return t('Idempotent. It is called again after a crash.');
  return destructive
    ? t('May change or delete data. It is not called again after a crash.')
    : t('Changes data. It is not called again after a crash.');
}
