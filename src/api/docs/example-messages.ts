import type { Json } from '../../lib/json/json.ts';
import { exampleResponses } from './example-responses.ts';

const ids = { workflow_id: 'wf_01kjqv8w2mzr4c', execution_id: 'ex_01kjqvk3d8f0ws' };
const TIME = '2026-03-02T09:20:11.362Z';

/** Example messages by type. The tests validate each against its schema. */
export const messageExamples: Readonly<Record<string, readonly Json[]>> = {
  auth: [{ type: 'auth', token: 'eyJhbGciOiJIUzI1NiJ9.eyJzaWQiOiJzZXMifQ.c2ln' }],
  subscribe: [
    { type: 'subscribe', data: { workflow_id: ids.workflow_id } },
    { type: 'subscribe', data: { execution_id: ids.execution_id } },
  ],
  unsubscribe: [{ type: 'unsubscribe', data: { workflow_id: ids.workflow_id } }],
  ping: [{ type: 'ping' }],
  auth_success: [
    { type: 'auth_success', data: { user_id: 'usr_01kjqtz9h4n2xe', expires_at: '2026-03-02T10:15:04.000Z' } },
  ],
  execution_update: [
    {
      type: 'execution_update',
      data: { ...ids, status: 'running', progress: 0.5, current_node: 'tell_warehouse', timestamp: TIME },
    },
    {
      type: 'execution_update',
      data: { ...ids, status: 'completed', progress: 1, current_node: '', timestamp: TIME },
    },
  ],
  notification: [
    {
      type: 'notification',
      data: { level: 'error', message: 'The workflow "Large orders" failed.', timestamp: TIME },
    },
  ],
  decision: [
    {
      type: 'decision',
      data: {
        decision_id: 'dec_01kjqtz9h4n2xf',
        ...ids,
        title: 'Expense of 250 EUR',
        status: 'decided',
        choice: 'approved',
        assigned: true,
        timestamp: TIME,
      },
    },
  ],
  subscribed: [{ type: 'subscribed', data: { workflow_id: ids.workflow_id } }],
  unsubscribed: [{ type: 'unsubscribed', data: { workflow_id: ids.workflow_id } }],
  pong: [{ type: 'pong' }],
  error: [
    {
      type: 'error',
      data: {
        code: 'UNAUTHORIZED',
        message: 'Authentication is required or has failed.',
        details: {},
      },
    },
  ],
  log_entry: [exampleResponses['LogEntry']!],
  log_end: [{ status: 'completed' }],
  log_error: [
    {
      error: {
        code: 'UNAUTHORIZED',
        message: 'The session has ended.',
        details: {},
      },
    },
  ],
};
