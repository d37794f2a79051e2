import type { User } from 'weft-client';
import { toSentenceCase, t } from '../i18n/index.ts';

/** The kinds of triggers of an execution. */
export const TRIGGERS = {
  manual: t('Manual'),
  webhook: t('Webhook'),
  schedule: t('Schedule'),
  form: t('Form'),
  tool: t('Tool'),
  chat: t('Chat'),
  polling: t('Polling'),
  email: t('Email received'),
  event: t('Event'),
  error: t('Error handler'),
  sub_workflow: t('Sub-workflow'),
  retry: t('Retry', { context: 'trigger' }),
} as const;

const STATUSES: Readonly<Record<string, string>> = {
  active: t('active'),
  inactive: t('inactive'),
  draft: t('draft'),
  queued: t('queued'),
  pending: t('pending'),
  running: t('running'),
  waiting: t('waiting'),
  completed: t('completed'),
  failed: t('failed'),
  stopped: t('stopped'),
  skipped: t('skipped'),
  ok: t('ok'),
  degraded: t('degraded'),
  unreachable: t('unreachable'),
};

/** A status of a workflow, an execution, a node run or the service as a word. */
export const formatStatus = (status: string): string => STATUSES[status] ?? status;

const PLANS: Readonly<Record<User['plan'], string>> = {
  standard: t('Standard'),
  pro: t('Pro'),
  enterprise: t('Enterprise'),
};

/** The name of a plan; an empty text until it is known. */
export const formatPlan = (plan: User['plan'] | undefined): string => (plan === undefined ? '' : PLANS[plan]);

/** The version that an execution ran, inside a sentence. A negative number is a test. */
export const formatVersion = (version: number): string =>
  version < 0 ? t('test of an unsaved workflow') : t('version {{version}}', { version });

/** A kind of trigger inside a sentence. */
export const formatTriggerType = (type: keyof typeof TRIGGERS): string => toSentenceCase(TRIGGERS[type]);
