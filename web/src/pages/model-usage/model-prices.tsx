import { useQuery } from '@tanstack/react-query';
import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { ModelPrices as Prices } from 'weft-client';
import { client } from '../../data/client.ts';
import { toFieldError, toFormError } from '../../data/error-text.ts';
import { useMutationWithToast } from '../../data/use-mutation-with-toast.ts';
import { formatCost } from '../../ui/amounts.ts';
import { Alert, ErrorAlert } from '../../ui/alert.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { t } from '../../i18n/index.ts';

const SETTING = 'WEFT_MODEL_PRICES';
const EXAMPLE_MODEL = 'openai/gpt-5-mini';

const PRICE_FIELDS = ['model', 'input', 'cached_input', 'output'] as const;
type PriceField = (typeof PRICE_FIELDS)[number];

const getFieldPath = (index: number, field: PriceField): string => `prices[${index}].${field}`;

/** A row of the form: what the user typed. */
type Row = { key: number; model: string; input: string; cached: string; output: string };

/** The prices of models. Administrators edit those that are stored. */
export function ModelPrices({ isAdmin }: { isAdmin: boolean }) {
  const prices = useQuery({
    queryKey: ['model-prices'],
    queryFn: async ({ signal }) => (await client.modelPrices.get({ signal })).prices,
  });
  const [rows, setRows] = useState<readonly Row[] | null>(null);
  return (
    <section className="stack" aria-labelledby="prices">
      <div className="section-head">
        <h2 className="section-head__title" id="prices">
          {t('Prices')}
        </h2>
        <p className="section-head__text">{t('US dollars for a million tokens.')}</p>
        {isAdmin && rows === null && prices.data !== undefined && (
          <Button onClick={() => setRows(toRows(prices.data))}>{t('Edit prices')}</Button>
        )}
      </div>
      {prices.error !== null && <ErrorAlert error={prices.error} onRetry={() => void prices.refetch()} />}
      {rows !== null ? (
        <PriceForm rows={rows} onChange={setRows} onClose={() => setRows(null)} />
      ) : (
        prices.data !== undefined && <PriceTable prices={prices.data} />
      )}
    </section>
  );
}

function PriceTable({ prices }: { prices: Prices['prices'] }) {
  if (prices.length === 0) return <p className="soft">{t('No prices yet: calls have no cost.')}</p>;
  return (
    <div className="table-frame" role="region" aria-label={t('Prices')} tabIndex={0}>
      <table className="figures">
        <thead>
          <tr>
            <th scope="col">{t('Model')}</th>
            <th scope="col">{t('Input')}</th>
            <th scope="col">{t('Cached input')}</th>
            <th scope="col">{t('Output')}</th>
            <th scope="col">{t('Source')}</th>
          </tr>
        </thead>
        <tbody>
          {prices.map(({ model, input, cached_input: cached, output, source }) => (
            <tr key={model}>
              <th scope="row">{model}</th>
              <td>{formatCost(input)}</td>
              <td>{cached === null ? '–' : formatCost(cached)}</td>
              <td>{formatCost(output)}</td>
              <td>{source === 'setting' ? <code>{SETTING}</code> : t('Stored')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function PriceForm({
  rows,
  onChange,
  onClose,
}: {
  rows: readonly Row[];
  onChange: (rows: readonly Row[]) => void;
  onClose: () => void;
}) {
  const save = useMutationWithToast(
    (prices: ReturnType<typeof toPrices>) => client.modelPrices.set({ prices }),
    {
      changes: [['model-prices']],
      onDone: () => {
        toast({ tone: 'good', title: t('Prices saved') });
        onClose();
      },
    },
  );
  const change = (next: readonly Row[]): void => {
    save.reset();
    onChange(next);
  };
  const update = (key: number, changed: Partial<Row>): void =>
    change(rows.map((row) => (row.key === key ? { ...row, ...changed } : row)));
  const problem = toFormError(
    save.error,
    rows.flatMap((_, i) => PRICE_FIELDS.map((field) => getFieldPath(i, field))),
  );
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(toPrices(rows));
      }}
    >
      {problem !== null && <Alert tone="bad">{problem}</Alert>}
      {rows.map(({ key, model, input, cached, output }, i) => {
        const label = (field: string): string => t('{{field}} of price {{number}}', { field, number: i + 1 });
        const amount = (
          name: PriceField,
          title: string,
          value: string,
          toChange: (text: string) => Partial<Row>,
          isRequired = true,
        ) => (
          <Field label={title} error={toFieldError(save.error, getFieldPath(i, name))}>
            {(control) => (
              <Input
                {...control}
                type="number"
                min={0}
                step="any"
                required={isRequired}
                aria-label={label(title)}
                value={value}
                onChange={({ target }) => update(key, toChange(target.value))}
              />
            )}
          </Field>
        );
        return (
          <div key={key} className="row price">
            <Field label={t('Model')} error={toFieldError(save.error, getFieldPath(i, 'model'))}>
              {(control) => (
                <Input
                  {...control}
                  required
                  aria-label={label(t('Model'))}
                  placeholder={EXAMPLE_MODEL}
                  value={model}
                  onChange={({ target }) => update(key, { model: target.value })}
                />
              )}
            </Field>
            {amount('input', t('Input'), input, (text) => ({ input: text }))}
            {amount('cached_input', t('Cached input'), cached, (text) => ({ cached: text }), false)}
            {amount('output', t('Output'), output, (text) => ({ output: text }))}
            <IconButton
              label={t('Remove price {{number}}', { number: i + 1 })}
              size="small"
              icon={<Trash2 size={15} />}
              onClick={() => change(rows.filter((row) => row.key !== key))}
            />
          </div>
        );
      })}
      <div className="row">
        <Button
          icon={<Plus size={15} />}
          onClick={() =>
            change([
              ...rows,
              {
                key: Math.max(0, ...rows.map(({ key }) => key)) + 1,
                model: '',
                input: '',
                cached: '',
                output: '',
              },
            ])
          }
        >
          {t('Add price')}
        </Button>
        <Button type="submit" variant="primary" isBusy={save.isPending}>
          {t('Save')}
        </Button>
        <Button variant="quiet" onClick={onClose}>
          {t('Cancel')}
        </Button>
      </div>
    </form>
  );
}

const toRows = (prices: Prices['prices']): Row[] =>
  prices
    .filter(({ source }) => source === 'stored')
    .map(({ model, input, cached_input: cached, output }, key) => ({
      key,
      model,
      input: String(input),
      cached: cached === null ? '' : String(cached),
      output: String(output),
    }));

const toPrices = (rows: readonly Row[]) =>
  rows.map(({ model, input, cached, output }) => ({
    model: model.trim(),
    input: Number(input),
    cached_input: cached === '' ? null : Number(cached),
    output: Number(output),
  }));
