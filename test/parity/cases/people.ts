import type { Case } from './case.ts';
import { MISSING, createResource, inputById } from './preparations.ts';

export const peopleCases: readonly Case[] = [
  { operation: 'getCurrentUser', title: 'oneself', say: () => ({}) },
  { operation: 'getCurrentUser', title: 'nobody', as: 'nobody', say: () => ({}) },
  {
    operation: 'login',
    title: 'a wrong password',
    as: 'nobody',
    say: () => ({ body: { email: 'nobody@example.com', password: 'wrong' } }),
  },
  { operation: 'refreshSession', title: 'no token', as: 'nobody', say: () => ({ body: {} }) },
  {
    operation: 'refreshSession',
    title: 'a wrong token',
    as: 'nobody',
    say: () => ({ body: { token: 'nonsense' } }),
  },
  {
    operation: 'changePassword',
    title: 'a wrong one',
    say: () => ({ body: { current_password: 'wrong one', new_password: 'another password' } }),
  },
  {
    operation: 'changePassword',
    title: 'a short one',
    say: () => ({ body: { current_password: 'wrong one', new_password: 'x' } }),
  },
  { operation: 'listUsers', title: 'as a member', say: () => ({}) },
  {
    operation: 'createUser',
    title: 'as a member',
    say: () => ({ body: { email: 'x@example.com', password: 'long enough' } }),
  },
  { operation: 'getUser', title: 'as a member', say: () => ({ params: { id: MISSING.user } }) },
  {
    operation: 'updateUser',
    title: 'as a member',
    say: () => ({ params: { id: MISSING.user }, body: { role: 'admin' } }),
  },
  { operation: 'deleteUser', title: 'as a member', say: () => ({ params: { id: MISSING.user } }) },
  {
    operation: 'createUser',
    title: 'one',
    as: 'admin',
    say: (_, api) => ({
      body: { email: `new-${api}@example.com`, password: 'long enough', name: 'New', plan: 'pro' },
    }),
  },
  {
    operation: 'createUser',
    title: 'a taken email',
    as: 'admin',
    say: (_, api) => ({ body: { email: `NEW-${api}@example.com`, password: 'long enough' } }),
  },
  {
    operation: 'createUser',
    title: 'a short password',
    as: 'admin',
    say: () => ({ body: { email: 'y@example.com', password: 'short' } }),
  },
  {
    operation: 'listUsers',
    title: 'as an administrator',
    as: 'admin',
    say: () => ({ query: { limit: 100 } }),
  },
  {
    operation: 'getUser',
    title: 'what is missing',
    as: 'admin',
    say: () => ({ params: { id: MISSING.user } }),
  },
  {
    operation: 'updateUser',
    title: 'what is missing',
    as: 'admin',
    say: () => ({ params: { id: MISSING.user }, body: { name: 'x' } }),
  },
  {
    operation: 'deleteUser',
    title: 'what is missing',
    as: 'admin',
    say: () => ({ params: { id: MISSING.user } }),
  },
  {
    operation: 'updateUser',
    title: 'one',
    as: 'admin',
    prepare: async (call, api) => ({
      id: await createResource(call, 'POST', '/users', {
        email: `change-${api}@example.com`,
        password: 'long enough',
      }),
    }),
    say: (vars) => ({ ...inputById(vars), body: { name: 'Changed', role: 'admin', plan: 'enterprise' } }),
  },
  {
    operation: 'deleteUser',
    title: 'one',
    as: 'admin',
    prepare: async (call, api) => ({
      id: await createResource(call, 'POST', '/users', {
        email: `leave-${api}@example.com`,
        password: 'long enough',
      }),
    }),
    say: inputById,
  },
  { operation: 'getHealth', title: 'as it is', as: 'nobody', say: () => ({}) },
  // The session ends with it, so it is the last.
  { operation: 'logout', title: 'the own session', say: () => ({}) },
];
