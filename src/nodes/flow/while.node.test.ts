import { expect, test } from 'vitest';
import { validateConfig } from '../validate-config.ts';
import { whileNode } from './while.node.ts';

const config = { condition: { field: 'next', operator: 'exists' }, nodes: ['a'] };

test('a loop has at most 1,000,000 iterations', () => {
  expect(validateConfig(whileNode, { ...config, maxIterations: 1_000_000 })).toEqual([]);
  expect(validateConfig(whileNode, { ...config, maxIterations: 1_000_001 })).toMatchObject([
    { field: 'maxIterations', issue: 'must be at most 1000000' },
  ]);
});
