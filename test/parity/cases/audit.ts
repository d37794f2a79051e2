import type { Case } from './case.ts';

export const auditCases: readonly Case[] = [
  {
    operation: 'listAuditEvents',
    as: 'admin',
    title: 'none',
    say: () => ({ query: { actor: 'usr_none' } }),
  },
  {
    operation: 'listAuditEvents',
    as: 'admin',
    title: 'the first event',
    // The first start created the administrator.
    say: () => ({ query: { action: 'user.created', to: '2100-01-01', limit: 1 } }),
  },
  {
    operation: 'listAuditEvents',
    as: 'admin',
    title: 'an unknown action',
    say: () => ({ query: { action: 'x.y' } }),
  },
  {
    operation: 'listAuditEvents',
    as: 'admin',
    title: 'a wrong time',
    say: () => ({ query: { from: 'yesterday' } }),
  },
];
