import { expect, test } from 'vitest';
import { requireServiceNode } from './service-node.ts';

test('commands on the data of this machine refuse an older Node in one line', () => {
  expect(() => requireServiceNode('start', '24.0.0')).not.toThrow();
  expect(() => requireServiceNode('start', '26.1.0')).not.toThrow();
  expect(() => requireServiceNode('start', '22.20.0')).toThrow(
    'weft start needs Node 24 or newer, and this is Node 22.20.0. Commands that call a service elsewhere work with this one.',
  );
});
