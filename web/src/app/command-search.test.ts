import { expect, test } from 'vitest';
import { searchCommands } from './command-search.ts';

const commands = [
  { title: 'New workflow', detail: 'Action', words: 'create add' },
  { title: 'Notify the warehouse', detail: 'Workflow' },
  { title: 'HTTP request 2', detail: 'Node', words: 'http_request_2' },
  { title: 'API keys', detail: 'Settings' },
  { title: 'Orders', detail: 'Workflow' },
  { title: 'Orders of today', detail: 'Execution · failed' },
  { title: 'Toggle dark mode', detail: 'Action', words: 'theme light' },
];

test.each([
  ['new', ['New workflow']],
  ['nw', ['New workflow', 'Notify the warehouse']],
  ['create', ['New workflow']],
  ['newflow', []],
  ['ware', ['Notify the warehouse']],
  ['house', []],
  ['http req', ['HTTP request 2']],
  ['req http', ['HTTP request 2']],
  ['htre2', ['HTTP request 2']],
  ['ak', ['API keys']],
  ['orders', ['Orders', 'Orders of today']],
  ['orders failed', ['Orders of today']],
  ['DARK', ['Toggle dark mode']],
  ['theme', ['Toggle dark mode']],
  ['zebra', []],
])('%s', (text, titles) => {
  expect(searchCommands(commands, text).map(({ title }) => title)).toEqual(titles);
});

test('an empty text finds everything in its order', () => {
  expect(searchCommands(commands, '  ')).toEqual(commands);
});
