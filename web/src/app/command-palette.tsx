import { useQuery } from '@tanstack/react-query';
import { BookOpen, ListVideo, LogOut, Moon, Plus, UserRound, Waypoints } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import type { ExecutionSummary, WorkflowSummary } from 'weft-client';
import { Chooser } from '../canvas/components/command-list.tsx';
import { client } from '../data/client.ts';
import { listCommands, type Command } from '../data/commands.ts';
import { useCurrentUser } from '../data/current-user.ts';
import { chooseTheme } from '../data/theme.ts';
import { formatRelativeTime } from '../ui/time.tsx';
import { signOut } from './account-menu.tsx';
import { searchCommands } from './command-search.ts';
import { listPages } from './navigation.tsx';
import { formatStatus } from '../data/words.ts';
import { t } from '../i18n/index.ts';

const MAX_WORKFLOWS = 500;
const MAX_RECENT_EXECUTIONS = 20;
/** The number of results shown for a text, and of workflows and executions before one is typed. */
const MAX_RESULTS = 50;
const MAX_RESULTS_PER_GROUP = 6;

/** The group of the nodes of the open workflow. */
const NODES = t('Nodes');

/** Finds workflows, nodes of the open workflow, executions, pages and actions. */
export function CommandPalette({
  initialText,
  onClose,
  onCreate,
}: {
  initialText: string;
  onClose: () => void;
  onCreate: () => void;
}) {
  const [, navigate] = useLocation();
  const me = useCurrentUser();
  const [offered] = useState(listCommands);
  const workflows = useQuery({
    queryKey: ['workflows', 'palette'],
    queryFn: async ({ signal }) => {
      const found: WorkflowSummary[] = [];
      for await (const one of client.workflows.listAll({}, { maxItems: MAX_WORKFLOWS, signal }))
        found.push(one);
      return found;
    },
  }).data;
  const executions = useQuery({
    queryKey: ['executions', 'palette'],
    queryFn: ({ signal }) => client.executions.list({ limit: MAX_RECENT_EXECUTIONS }, { signal }),
  }).data?.executions;
  const commands = useMemo(
    () => ({
      actions: listActions(onCreate),
      workflows: (workflows ?? []).map((one) => workflowCommand(one, navigate)),
      executions: (executions ?? []).map((one) => executionCommand(one, workflows ?? [], navigate)),
      pages: listPageCommands(me?.role === 'admin', navigate),
    }),
    [workflows, executions, me, navigate, onCreate],
  );
  const search = (text: string): readonly Command[] => {
    const isEmpty = text.trim() === '';
    const few = (list: readonly Command[]): readonly Command[] =>
      isEmpty ? list.slice(0, MAX_RESULTS_PER_GROUP) : list;
    const all = [
      ...offered.filter(({ group }) => group !== NODES),
      ...commands.actions,
      ...few(commands.workflows),
      ...few(offered.filter(({ group }) => group === NODES)),
      ...few(commands.executions),
      ...commands.pages,
    ];
    return isEmpty ? all : searchCommands(all, text).slice(0, MAX_RESULTS);
  };
  return (
    <Chooser
      label={t('Command palette')}
      placeholder={t('Search or jump to…')}
      initialText={initialText}
      anchor={null}
      empty={t('No results')}
      search={(text) =>
        search(text).map(({ id, title, detail, group, icon: Icon }) => ({
          id,
          title,
          detail,
          group,
          icon: <Icon size={16} aria-hidden="true" />,
        }))
      }
      onClose={onClose}
      onChoose={(id) => {
        const command = [...offered, ...Object.values(commands).flat()].find((one) => one.id === id);
        onClose();
        command?.run();
      }}
    />
  );
}

function listActions(onCreate: () => void): Command[] {
  const group = t('Actions');
  return [
    {
      id: 'new-workflow',
      title: t('New workflow'),
      detail: t('Create an empty workflow'),
      group,
      icon: Plus,
      words: t('add', { context: 'keywords' }),
      run: onCreate,
    },
    {
      id: 'dark-mode',
      title: t('Toggle dark mode'),
      detail: t('Switch between light and dark'),
      group,
      icon: Moon,
      words: t('theme', { context: 'keywords' }),
      run: toggleDark,
    },
    {
      id: 'docs',
      title: t('Open API documentation'),
      detail: t('In a new tab'),
      group,
      icon: BookOpen,
      words: t('docs help reference', { context: 'keywords' }),
      run: () => void open('/v1/docs', '_blank', 'noopener'),
    },
    {
      id: 'sign-out',
      title: t('Sign out'),
      detail: t('End this session'),
      group,
      icon: LogOut,
      words: t('logout', { context: 'keywords' }),
      run: signOut,
    },
  ];
}

function toggleDark(): void {
  const { theme } = document.documentElement.dataset;
  const isDark = theme === undefined ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark';
  chooseTheme(isDark ? 'light' : 'dark');
}

function workflowCommand({ id, name, status }: WorkflowSummary, navigate: (to: string) => void): Command {
  return {
    id: `workflow ${id}`,
    title: name,
    detail: t('Workflow · {{status}}', { status: formatStatus(status) }),
    group: t('Workflows'),
    icon: Waypoints,
    words: id,
    run: () => navigate(`/workflows/${id}`),
  };
}

function executionCommand(
  { id, workflow_id: workflowId, status, start_time: start }: ExecutionSummary,
  workflows: readonly WorkflowSummary[],
  navigate: (to: string) => void,
): Command {
  return {
    id: `execution ${id}`,
    title: workflows.find((one) => one.id === workflowId)?.name ?? id,
    detail: [
      t('Execution'),
      formatStatus(status),
      ...(start === null ? [] : [formatRelativeTime(Date.parse(start), Date.now())]),
    ].join(' · '),
    group: t('Recent executions'),
    icon: ListVideo,
    words: `${id} ${t('run', { context: 'keywords' })}`,
    run: () => navigate(`/executions/${id}`),
  };
}

function listPageCommands(isAdmin: boolean, navigate: (to: string) => void): Command[] {
  const account = { href: '/settings/account', word: t('Account'), icon: UserRound };
  return [...listPages(isAdmin), account].map(({ href, word, icon }) => ({
    id: `page ${href}`,
    title: word,
    detail: href.startsWith('/settings') ? t('Settings') : t('Page'),
    group: t('Pages'),
    icon,
    run: () => navigate(href),
  }));
}
