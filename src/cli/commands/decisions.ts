import type { Decision } from '../../../sdk/src/index.ts';
import type { ConnectOptions } from '../connect.ts';
import type { RunContext } from '../run-context.ts';
import { plain, timeText } from '../terminal/text.ts';
import { readInput } from './input.ts';
import { showList, type ListOptions } from './list.ts';

type InboxOptions = ConnectOptions &
  ListOptions & { readonly owned?: boolean; readonly closed?: boolean; readonly search?: string };

export async function listDecisions(context: RunContext, options: InboxOptions): Promise<undefined> {
  const { owned, closed, search } = options;
  const query = {
    view: owned === true ? ('owned' as const) : ('assigned' as const),
    status: closed === true ? ('closed' as const) : ('open' as const),
    search,
  };
  await showList(
    context,
    options,
    'decisions',
    (page, given) => context.client.decisions.list({ ...page, ...query }, given),
    [
      { title: 'ID', of: (one) => one.id },
      { title: 'STATUS', of: (one) => describeStatus(one) },
      { title: 'ASKED', of: (one) => timeText(one.created_at) },
      { title: 'DEADLINE', of: (one) => timeText(one.deadline) },
      { title: 'CHOICES', of: (one) => one.choices.map(({ name }) => name).join(', ') },
      { title: 'TITLE', of: (one) => one.title, isLoose: true },
    ],
    closed === true ? 'There is no closed decision.' : 'There is no open decision.',
  );
  return undefined;
}

export async function decide(
  { client, printer, signal, terminal }: RunContext,
  { comment, values }: ConnectOptions & { readonly comment?: string; readonly values?: string },
  id = '',
  choice = '',
): Promise<undefined> {
  const entered = await readInput(terminal, values, '--values');
  const input = {
    choice,
    ...(comment !== undefined && { comment }),
    ...(entered !== undefined && { values: entered }),
  };
  const decision = await client.decisions.respond(id, input, { signal });
  printer.show(decision, () => {
    const state =
      decision.status === 'open' ? 'More responses are needed.' : `It is decided: ${decision.choice}.`;
    printer.line(`You responded to "${plain(decision.title)}" with ${choice}. ${state}`);
  });
  return undefined;
}

function describeStatus({ status, choice }: Decision): string {
  return status === 'decided' ? `decided: ${choice}` : status;
}
