import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { PackOperationNames } from 'weft-client';
import { search } from '../../canvas/model/search.ts';
import { createOperationNamesQuery } from '../../connectors/load-operations.ts';
import { describeOperation, listKeywords } from '../../connectors/operation-entries.ts';
import { client } from '../../data/client.ts';
import { ErrorAlert } from '../../ui/alert.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { SearchField } from '../../ui/lists/search-field.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { t, tElements, tPlural } from '../../i18n/index.ts';

/** Operations that are added to the list at once. */
const PAGE_SIZE = 50;

type Operation = PackOperationNames['operations'][number];

/** The operations of a version, which are found by words of their titles, ids, paths and tags. */
export function PackOperations({ name, version }: { name: string; version: string }) {
  const names = useQuery(createOperationNamesQuery(name, version));
  const [text, setText] = useState('');
  const [most, setMost] = useState(PAGE_SIZE);
  const items = useMemo(
    () =>
      (names.data?.operations ?? []).map((operation) => ({
        id: operation.id,
        title: operation.title,
        detail: describeOperation(operation),
        keywords: listKeywords(operation),
        operation,
      })),
    [names.data],
  );
  const found = useMemo(() => (text.trim() === '' ? items : search(items, text)), [items, text]);
  if (names.error !== null && names.data === undefined)
    return <ErrorAlert error={names.error} onRetry={() => void names.refetch()} />;
  if (names.data === undefined) return <Skeleton />;
  return (
    <section className="pack-section" aria-labelledby="pack-operations">
      <h2 className="pack-section__title" id="pack-operations">
        {t('Operations')}
      </h2>
      <div className="toolbar">
        <SearchField
          label={t('Search operations')}
          value={text}
          onChange={(next) => {
            setText(next);
            setMost(PAGE_SIZE);
          }}
        />
        <span className="pack-count" role="status">
          {found.length === items.length
            ? tPlural(items.length, '{{count}} operation', '{{count}} operations')
            : t('{{found}} of {{total}} operations', { found: found.length, total: items.length })}
        </span>
      </div>
      {found.length === 0 ? (
        <p className="soft">{t('No matching operations')}</p>
      ) : (
        <div className="pack-operations">
          {found.slice(0, most).map(({ operation }) => (
            <OperationRow key={operation.id} name={name} version={version} operation={operation} />
          ))}
        </div>
      )}
      {found.length > most && (
        <p className="pack-list">
          <Button size="small" onClick={() => setMost(most + PAGE_SIZE)}>
            {tPlural(Math.min(PAGE_SIZE, found.length - most), 'Show {{count}} more', 'Show {{count}} more')}
          </Button>
        </p>
      )}
    </section>
  );
}

function OperationRow({ name, version, operation }: { name: string; version: string; operation: Operation }) {
  const { id, title, deprecated } = operation;
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className="pack-operation" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        <span className="pack-operation__title">
          {title} {deprecated && <Badge tone="warn">{t('Deprecated')}</Badge>}
        </span>
        <code className="pack-operation__path">{describeOperation(operation)}</code>
      </summary>
      {isOpen && <OperationAbout name={name} version={version} id={id} />}
    </details>
  );
}

function OperationAbout({ name, version, id }: { name: string; version: string; id: string }) {
  const detail = useQuery({
    queryKey: ['packs', 'operation-about', name, version, id],
    queryFn: ({ signal }) => client.packs.operations.get(name, id, { version }, { signal }),
    staleTime: 60_000,
  });
  if (detail.error !== null) return <ErrorAlert error={detail.error} onRetry={() => void detail.refetch()} />;
  if (detail.data === undefined) return <Skeleton />;
  const { description, config_schema: schema } = detail.data;
  const required = Array.isArray(schema['required']) ? (schema['required'] as string[]) : [];
  const fields = required.filter((field) => field !== 'operation');
  return (
    <div className="pack-operation__about">
      {description !== '' && <p className="pack-operation__text">{description}</p>}
      <p>
        {tElements('Operation {{id}}', { id: <code>{id}</code> })}
        {fields.length > 0 && `, ${t('required fields: {{fields}}', { fields: fields.join(', ') })}`}
      </p>
    </div>
  );
}
