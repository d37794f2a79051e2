import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { ConnectedAccount, CreateConnectionInput } from 'weft-client';
import { client } from '../data/client.ts';
import { toFieldError, toFormError } from '../data/error-text.ts';
import { useMutationWithToast } from '../data/use-mutation-with-toast.ts';
import { Alert } from '../ui/alert.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { toast } from '../ui/overlays/toast.tsx';
import { createUniqueName } from './credential-name.ts';
import { FIELD_TYPES } from './providers.ts';
import { useConnectionChoices } from './use-credentials.ts';
import { t } from '../i18n/index.ts';

type Authentication = NonNullable<CreateConnectionInput['authentication']>;
type Row = { readonly in: 'header' | 'query'; readonly name: string; readonly value: string };

const MAX_ROWS = 20;
const words = (text: string): string[] => text.split(/[\s,]+/).filter((one) => one !== '');
const getRowField = (index: number): string => `field_${index + 1}`;

/** Stores an API key, a password or several values as a connection. */
export function FieldsDialog({
  host = null,
  name: initialName,
  onCreated,
  onClose,
}: {
  /** The host that the fields are for. */
  host?: string | null;
  name?: string | undefined;
  onCreated?: ((connection: ConnectedAccount) => void) | undefined;
  onClose: () => void;
}) {
  const taken = useConnectionChoices() ?? [];
  const [type, setType] = useState<Authentication['type']>('header');
  const [form, setForm] = useState({
    name: initialName ?? null,
    header: 'X-API-Key',
    prefix: '',
    query: 'api_key',
    value: '',
    username: '',
    hosts: host ?? '',
    testUrl: '',
  });
  const [rows, setRows] = useState<readonly Row[]>([{ in: 'header', name: '', value: '' }]);
  const name =
    form.name ??
    createUniqueName(
      host ?? 'api_key',
      taken.map((one) => one.name),
    );
  const change = (changes: Partial<typeof form>): void => setForm({ ...form, ...changes });
  const changeRow = (index: number, changes: Partial<Row>): void =>
    setRows(rows.map((row, i) => (i === index ? { ...row, ...changes } : row)));
  const create = useMutationWithToast(
    () =>
      client.connections.create({
        name: name.trim(),
        grant_type: 'fields',
        ...readValues(type, form, rows),
        hosts: words(form.hosts),
        ...(form.testUrl.trim() === '' ? {} : { test_url: form.testUrl.trim() }),
      }),
    {
      changes: [['connections']],
      onDone: ({ connect_url: _url, ...connection }) => {
        onCreated?.(connection);
        toast({ tone: 'good', title: t('Connection “{{name}}” created', { name: connection.name }) });
        onClose();
      },
    },
  );
  const text = (field: string) => toFieldError(create.error, field);
  const displayedFields = ['name', 'hosts', 'test_url', 'authentication.name', 'authentication.prefix'];
  const ofRows = rows.flatMap((_, i) => [`authentication.placements[${i}].name`, `fields.${getRowField(i)}`]);
  const values = ['fields.value', 'fields.token', 'fields.username', 'fields.password'];
  const problem = toFormError(create.error, [...displayedFields, ...values, ...ofRows]);
  const secret = (label: string, field: string) => (
    <TextField
      label={label}
      type="password"
      autoComplete="new-password"
      value={form.value}
      hint={t('Stored encrypted and never shown again.')}
      error={text(`fields.${field}`)}
      onChange={(event) => change({ value: event.target.value })}
    />
  );
  return (
    <Dialog
      isOpen
      size="wide"
      onClose={onClose}
      title={t('Add an API key')}
      description={t('Weft stores the values encrypted and sends them only to the hosts below.')}
      onSubmit={() => create.mutate(undefined)}
      foot={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button type="submit" variant="primary" isBusy={create.isPending}>
            {t('Create')}
          </Button>
        </>
      }
    >
      <div className="form">
        {problem !== null && <Alert tone="bad">{problem}</Alert>}
        <div className="form__grid">
          <SelectField
            label={t('Type')}
            value={type}
            onChange={(event) => setType(event.target.value as Authentication['type'])}
          >
            {Object.entries(FIELD_TYPES).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </SelectField>
          <TextField
            label={t('Name')}
            className="input--mono"
            value={name}
            hint={t('Nodes refer to the connection by this name.')}
            error={text('name')}
            onChange={(event) => change({ name: event.target.value })}
          />
          {type === 'header' && (
            <>
              <TextField
                label={t('Header')}
                className="input--mono"
                value={form.header}
                error={text('authentication.name')}
                onChange={(event) => change({ header: event.target.value })}
              />
              <TextField
                label={t('Text before the key')}
                isOptional
                className="input--mono"
                value={form.prefix}
                placeholder="Token "
                error={text('authentication.prefix')}
                onChange={(event) => change({ prefix: event.target.value })}
              />
            </>
          )}
          {type === 'query' && (
            <TextField
              label={t('Query parameter')}
              className="input--mono"
              value={form.query}
              error={text('authentication.name')}
              onChange={(event) => change({ query: event.target.value })}
            />
          )}
          {type === 'basic' && (
            <TextField
              label={t('User name')}
              value={form.username}
              error={text('fields.username')}
              onChange={(event) => change({ username: event.target.value })}
            />
          )}
          {(type === 'header' || type === 'query') && secret(t('API key'), 'value')}
          {type === 'bearer' && secret(t('Token'), 'token')}
          {type === 'basic' && secret(t('Password'), 'password')}
        </div>
        {type === 'custom' && (
          <>
            {rows.map((row, i) => (
              <div
                className="form__grid"
                key={i}
                role="group"
                aria-label={t('Field {{number}}', { number: i + 1 })}
              >
                <SelectField
                  label={t('Sent as')}
                  value={row.in}
                  onChange={(event) => changeRow(i, { in: event.target.value as Row['in'] })}
                >
                  <option value="header">{t('Header')}</option>
                  <option value="query">{t('Query parameter')}</option>
                </SelectField>
                <TextField
                  label={t('Name of the header or parameter')}
                  className="input--mono"
                  value={row.name}
                  error={text(`authentication.placements[${i}].name`)}
                  onChange={(event) => changeRow(i, { name: event.target.value })}
                />
                <TextField
                  label={t('Value')}
                  type="password"
                  autoComplete="new-password"
                  value={row.value}
                  error={text(`fields.${getRowField(i)}`)}
                  onChange={(event) => changeRow(i, { value: event.target.value })}
                />
                {rows.length > 1 && (
                  <IconButton
                    label={t('Remove field {{number}}', { number: i + 1 })}
                    icon={<Trash2 size={15} />}
                    onClick={() => setRows(rows.filter((_, index) => index !== i))}
                  />
                )}
              </div>
            ))}
            {rows.length < MAX_ROWS && (
              <div>
                <Button
                  size="small"
                  icon={<Plus size={14} />}
                  onClick={() => setRows([...rows, { in: 'header', name: '', value: '' }])}
                >
                  {t('Add field')}
                </Button>
              </div>
            )}
          </>
        )}
        <div className="form__grid">
          <TextField
            label={t('Allowed hosts')}
            className="input--mono"
            spellCheck={false}
            value={form.hosts}
            placeholder="api.example.com"
            hint={t('Weft refuses to send the values to any other host.')}
            error={text('hosts')}
            onChange={(event) => change({ hosts: event.target.value })}
          />
          <TextField
            label={t('Test URL')}
            isOptional
            type="url"
            value={form.testUrl}
            placeholder="https://api.example.com/me"
            hint={t('A test requests it with the values.')}
            error={text('test_url')}
            onChange={(event) => change({ testUrl: event.target.value })}
          />
        </div>
      </div>
    </Dialog>
  );
}

function readValues(
  type: Authentication['type'],
  form: { header: string; prefix: string; query: string; value: string; username: string },
  rows: readonly Row[],
): { authentication: Authentication; fields: Record<string, string> } {
  const { value, username } = form;
  switch (type) {
    case 'header':
      return {
        authentication: {
          type,
          name: form.header.trim(),
          ...(form.prefix === '' ? {} : { prefix: form.prefix }),
        },
        fields: { value },
      };
    case 'query':
      return { authentication: { type, name: form.query.trim() }, fields: { value } };
    case 'bearer':
      return { authentication: { type }, fields: { token: value } };
    case 'basic':
      return { authentication: { type }, fields: { username, password: value } };
    case 'custom':
      return {
        authentication: {
          type,
          placements: rows.map((row, i) => ({ in: row.in, name: row.name.trim(), field: getRowField(i) })),
        },
        fields: Object.fromEntries(rows.map((row, i) => [getRowField(i), row.value])),
      };
  }
}
