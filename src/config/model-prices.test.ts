import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readModelPrices } from './model-prices.ts';

const prices = { 'openai/*': { input: 1, cached_input: 0, output: 2 } };

test('reads JSON, or the file at a path', () => {
  expect(readModelPrices(JSON.stringify(prices))).toEqual(prices);
  const folder = mkdtempSync(path.join(tmpdir(), 'weft-prices-'));
  try {
    const file = path.join(folder, 'prices.json');
    writeFileSync(file, JSON.stringify(prices));
    expect(readModelPrices(file)).toEqual(prices);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.each([
  'nothing.json',
  '{',
  '[]',
  '{"openai": {"input": 1, "output": 1}}',
  '{"openai/*": {"input": 1}}',
  '{"openai/*": {"input": -1, "output": 1}}',
  '{"openai/*": {"input": "1", "output": 1}}',
  '{"openai/*": {"input": 1, "output": 1, "image": 1}}',
])('rejects %s', (text) => {
  expect(readModelPrices(text)).toBeNull();
});
