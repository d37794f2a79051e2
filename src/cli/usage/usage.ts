import type { ModelPrices, ModelUsageReport } from '../../../sdk/src/index.ts';
import type { ConnectOptions } from '../connect.ts';
import type { RunContext } from '../run-context.ts';
import { UsageError } from '../usage-error.ts';
import { findWorkflowId } from '../commands/find-workflow.ts';

type UsageOptions = ConnectOptions & {
  readonly from?: string;
  readonly to?: string;
  readonly by?: readonly string[];
  readonly workflow?: string;
  readonly model?: string;
  readonly user?: string;
  readonly limit?: number;
};
type Group = ModelUsageReport['groups'][number];
type Sum = ModelUsageReport['totals'];
type Price = ModelPrices['prices'][number];

/** Names of a group by what the calls are summed by. */
const NAMES: Readonly<Record<string, (group: Group) => string>> = {
  day: ({ day }) => day ?? '',
  workflow: (group) => group.workflow_name ?? group.workflow_id ?? '',
  user: (group) => group.user_id ?? '',
  model: ({ model }) => model ?? '',
};

/** Prints the calls of language models by group, and the totals. */
export async function showUsage(
  context: RunContext,
  { from, to, by = ['day'], workflow, model, user, limit }: UsageOptions,
): Promise<undefined> {
  const { client, printer, signal } = context;
  const report = await client.modelUsage.get(
    {
      from,
      to,
      group_by: by.join(','),
      workflow_id: workflow === undefined ? undefined : await findWorkflowId(context, workflow),
      model,
      user_id: user,
      limit,
    },
    { signal },
  );
  printer.show(report, () => {
    const rows: { sum: Sum; name: (group: string) => string }[] = report.groups.map((group) => ({
      sum: group,
      name: (one) => NAMES[one]?.(group) ?? '',
    }));
    rows.push({ sum: report.totals, name: (one) => (one === by[0] ? 'total' : '') });
    printer.table(
      [
        ...by.map((one) => ({
          title: one.toUpperCase(),
          of: ({ name }: (typeof rows)[number]) => name(one),
        })),
        { title: 'CALLS', of: ({ sum }) => String(sum.calls), isRight: true },
        { title: 'INPUT', of: ({ sum }) => String(sum.input_tokens), isRight: true },
        { title: 'OUTPUT', of: ({ sum }) => String(sum.output_tokens), isRight: true },
        { title: 'COST', of: ({ sum }) => costText(sum), isRight: true },
      ],
      rows,
    );
    if (report.has_more) printer.note('There are more groups. Use --limit, or a shorter time.');
    const { unpriced_calls: unpriced } = report.totals;
    if (unpriced > 0) printer.note(`${unpriced} calls of models without a price are not part of the cost.`);
  });
  return undefined;
}

/** US dollars; a dash if no call has a price. */
const costText = ({ cost, calls, unpriced_calls: unpriced }: Sum): string =>
  calls > 0 && unpriced === calls ? '-' : `$${cost.toFixed(4)}`;

export async function listPrices(context: RunContext, _options: ConnectOptions): Promise<undefined> {
  const { client, signal } = context;
  printPrices(context, await client.modelPrices.get({ signal }));
  return undefined;
}

type PriceOptions = ConnectOptions & {
  readonly input: number;
  readonly output: number;
  readonly cachedInput?: number;
};

/** Adds or replaces the stored price of one model. */
export async function setPrice(
  context: RunContext,
  { input, output, cachedInput }: PriceOptions,
  model = '',
): Promise<undefined> {
  const price = { model, input, output, cached_input: cachedInput ?? null };
  await storePrices(context, (stored) => [...stored.filter((one) => one.model !== model), price]);
  return undefined;
}

export async function deletePrice(
  context: RunContext,
  _options: ConnectOptions,
  model = '',
): Promise<undefined> {
  await storePrices(context, (stored) => {
    const rest = stored.filter((one) => one.model !== model);
    if (rest.length === stored.length) throw new UsageError(`There is no stored price of ${model}.`);
    return rest;
  });
  return undefined;
}

async function storePrices(
  context: RunContext,
  change: (stored: Omit<Price, 'source'>[]) => Omit<Price, 'source'>[],
): Promise<void> {
  const { client, signal } = context;
  const { prices } = await client.modelPrices.get({ signal });
  const stored = prices.flatMap(({ source, ...price }) => (source === 'stored' ? [price] : []));
  printPrices(context, await client.modelPrices.set({ prices: change(stored) }, { signal }));
}

function printPrices({ printer }: RunContext, list: ModelPrices): void {
  printer.show(list, () => {
    if (list.prices.length === 0) printer.note('There are no prices.');
    else
      printer.table(
        [
          { title: 'MODEL', of: (one) => one.model },
          { title: 'INPUT', of: (one) => String(one.input), isRight: true },
          { title: 'CACHED', of: (one) => String(one.cached_input ?? one.input), isRight: true },
          { title: 'OUTPUT', of: (one) => String(one.output), isRight: true },
          { title: 'SOURCE', of: (one) => one.source },
        ],
        list.prices,
      );
  });
}
