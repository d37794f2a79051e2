import type { Case } from './case.ts';
import { template } from './preparations.ts';

export const templateCases: readonly Case[] = [
  { operation: 'createTemplate', title: 'one', say: () => ({ body: template }) },
  {
    operation: 'createTemplate',
    title: 'the same version again',
    say: () => ({ body: { ...template, description: 'other' } }),
  },
  {
    operation: 'createTemplate',
    title: 'an undeclared parameter',
    say: () => ({ body: { ...template, templateName: 'bad', parameters: [] } }),
  },
  { operation: 'getTemplate', title: 'one', say: () => ({ params: { name: 'greet' } }) },
  {
    operation: 'instantiateTemplate',
    title: 'it',
    say: () => ({ params: { name: 'greet' }, body: { parameters: { who: 'Ada' } } }),
  },
  {
    operation: 'instantiateTemplate',
    title: 'without what it needs',
    say: () => ({ params: { name: 'greet' }, body: { parameters: {} } }),
  },
  {
    operation: 'instantiateTemplate',
    title: 'with what it does not know',
    say: () => ({ params: { name: 'greet' }, body: { parameters: { who: 'x', odd: 1 } } }),
  },
  { operation: 'deleteTemplate', title: 'it', say: () => ({ params: { name: 'greet' } }) },
];
