import type { Case } from './case.ts';

export const credentialCases: readonly Case[] = [
  {
    operation: 'putSecret',
    title: 'one',
    say: () => ({
      params: { name: 'TOKEN' },
      body: { value: 'hidden-value', hosts: ['api.example.com'], description: 'd' },
    }),
  },
  {
    operation: 'putSecret',
    title: 'a wrong name',
    say: () => ({ params: { name: '1x' }, body: { value: 'v' } }),
  },
  {
    operation: 'putSecret',
    title: 'a host with a path',
    say: () => ({ params: { name: 'A' }, body: { value: 'v', hosts: ['a/b'] } }),
  },
  { operation: 'deleteSecret', title: 'it', say: () => ({ params: { name: 'TOKEN' } }) },
];
