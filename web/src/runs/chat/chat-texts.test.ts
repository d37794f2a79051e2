import { expect, test } from 'vitest';
import type { StreamEvent } from 'weft-client';
import { ChatTestTexts, readChatText } from './chat-texts.ts';

const text = (path: string, piece: string): StreamEvent => ({
  type: 'text',
  text: piece,
  path,
  node_id: 'n',
  timestamp: '',
});

test('the text is that of the node run that wrote last, and begins anew after a reset', () => {
  const texts = new ChatTestTexts();
  texts.receive(text('agent[0]/chat', 'One '));
  texts.receive(text('agent[0]/chat', 'moment'));
  expect(texts.current).toBe('One moment');
  texts.receive(text('agent[1]/chat', 'Done'));
  expect(texts.current).toBe('Done');
  expect(
    texts.receive({
      type: 'reset',
      of: 'text',
      call_id: null,
      path: 'agent[1]/chat',
      node_id: 'n',
      timestamp: '',
    }),
  ).toBe(true);
  expect(texts.current).toBe('');
});

test('a response is a text, the text of a model, or any other value as JSON', () => {
  expect(readChatText('Hello')).toBe('Hello');
  expect(readChatText({ text: 'Hello', usage: {} })).toBe('Hello');
  expect(readChatText({ n: 1 })).toBe('{\n  "n": 1\n}');
});
