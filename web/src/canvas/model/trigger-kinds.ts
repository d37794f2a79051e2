import { t } from '../../i18n/index.ts';

/** One value of a trigger's `triggerType`, as the palette offers it. */
export type TriggerKind = {
  readonly kind: string;
  readonly title: string;
  readonly detail: string;
  readonly icon: string;
  readonly keywords: readonly string[];
};

/** The kinds of the node type `trigger`; a test compares them with its configuration. */
export const triggerKinds: readonly TriggerKind[] = [
  {
    kind: 'manual',
    title: t('Manual trigger'),
    detail: t('Starts the workflow when you click Run, or by a call of the API.'),
    icon: 'play',
    keywords: ['start', 'manual', 'run', 'button', 'click', 'test', 'begin'],
  },
  {
    kind: 'webhook',
    title: t('Webhook trigger'),
    detail: t('Starts the workflow when an HTTP request arrives at its URL.'),
    icon: 'webhook',
    keywords: ['webhook', 'incoming request', 'receive', 'http', 'api', 'endpoint', 'url', 'post', 'listen'],
  },
  {
    kind: 'form',
    title: t('Form trigger'),
    detail: t('Shows a form at a URL and starts the workflow with each submission.'),
    icon: 'clipboard-list',
    keywords: [
      'form',
      'survey',
      'questionnaire',
      'contact form',
      'input form',
      'typeform',
      'google forms',
      'submission',
      'upload',
    ],
  },
  {
    kind: 'tool',
    title: t('Tool for assistants'),
    detail: t('Offers the workflow to AI assistants as an MCP tool. Each call starts it.'),
    icon: 'wrench',
    keywords: ['mcp', 'tool', 'ai', 'assistant', 'agent', 'model', 'function', 'llm', 'server'],
  },
  {
    kind: 'chat',
    title: t('Chat trigger'),
    detail: t('Offers the workflow as a model to chat clients and OpenAI libraries. Each message starts it.'),
    icon: 'messages-square',
    keywords: ['chat', 'chatbot', 'openai', 'completions', 'model', 'ai', 'assistant', 'message', 'llm'],
  },
  {
    kind: 'schedule',
    title: t('Schedule trigger'),
    detail: t('Starts the workflow at fixed times or intervals, such as every weekday at 9:00.'),
    icon: 'calendar-clock',
    keywords: [
      'schedule',
      'cron',
      'timer',
      'interval',
      'job',
      'every day',
      'every hour',
      'every minute',
      'every week',
      'every month',
      'daily',
      'hourly',
      'weekly',
      'monthly',
      'recurring',
      'time',
      'seconds',
      'minutes',
      'weekday',
      'monday',
      'morning',
      'night',
    ],
  },
  {
    kind: 'polling',
    title: t('Polling trigger'),
    detail: t('Checks a URL regularly and starts the workflow for each new item.'),
    icon: 'refresh-cw',
    keywords: ['poll', 'watch', 'check url', 'new items', 'changes', 'feed', 'rss'],
  },
  {
    kind: 'email',
    title: t('Email received'),
    detail: t('Starts the workflow for each new email in a mailbox.'),
    icon: 'inbox',
    keywords: [
      'email received',
      'new email',
      'new mail',
      'incoming email',
      'email trigger',
      'receive email',
      'when an email arrives',
      'inbox',
      'mailbox',
      'imap',
      'gmail',
      'outlook',
    ],
  },
  {
    kind: 'event',
    title: t('After another workflow'),
    detail: t('Starts the workflow when another one completes or fails.'),
    icon: 'workflow',
    keywords: ['workflow ended', 'workflow completed', 'event', 'trigger', 'chain', 'follow', 'finished'],
  },
  {
    kind: 'error',
    title: t('When a workflow fails'),
    detail: t('Starts the workflow with the error of another one that failed.'),
    icon: 'triangle-alert',
    keywords: [
      'error trigger',
      'error workflow',
      'workflow failed',
      'failure',
      'on error',
      'alert',
      'trigger',
    ],
  },
];
