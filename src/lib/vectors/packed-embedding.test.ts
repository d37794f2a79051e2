import { expect, test } from 'vitest';
import { computeSimilarity, fromBytes, packEmbedding, toBytes } from './packed-embedding.ts';

const bytes = (embedding: readonly number[]) => toBytes(packEmbedding(embedding)!);

test('only the direction counts, and 16 bits keep it', () => {
  expect(packEmbedding([3, -4, 0])).toBe('[19660,-26214,0]');
  expect(packEmbedding([0.3, -0.4, -0])).toBe('[19660,-26214,0]');
  expect(fromBytes(bytes([3, -4, 0]))).toBe('[19660,-26214,0]');
  const left = Array.from({ length: 768 }, (_, i) => Math.sin(i * 7.3));
  const right = Array.from({ length: 768 }, (_, i) => Math.cos(i * 2.1) + Math.sin(i * 7.3));
  const dot = (a: number[], b: number[]) => a.reduce((sum, x, i) => sum + x * b[i]!, 0);
  const exact = dot(left, right) / Math.sqrt(dot(left, left) * dot(right, right));
  expect(Math.abs(computeSimilarity(bytes(left), bytes(right)) - exact)).toBeLessThan(0.00005);
});

test('an embedding without a direction is refused', () => {
  expect(packEmbedding([0, 0])).toBeNull();
  expect(packEmbedding([])).toBeNull();
  expect(packEmbedding([Number.MAX_VALUE, Number.MAX_VALUE])).toBeNull();
});

test('bytes at an odd address are read', () => {
  const odd = new Uint8Array(9).subarray(1);
  odd.set(bytes([1, 2, 3, 4]));
  expect(computeSimilarity(odd, bytes([1, 2, 3, 4]))).toBeCloseTo(1, 3);
});
