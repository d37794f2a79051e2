import { expect, test } from 'vitest';
import { chooseSeed, createSeededRandom } from '../../../../test/support/seeded-random.ts';
import { createJsonRedactor } from '../../credentials/redaction.ts';
import { StreamedTexts, type PartialText, type TextEvent } from './streamed-texts.ts';

const node = { id: 'chat', path: 'chat' };
const redact = createJsonRedactor(['hunter2-secret']);

/** A client: what it shows, and what it sends when it connects again. */
function connect(shown = { text: '' }, partial: readonly PartialText[] = []) {
  let resets = 0;
  const texts = new StreamedTexts(partial, redact, (_node, event: TextEvent) => {
    if (event.type === 'reset') resets++;
    shown.text = event.type === 'reset' ? '' : shown.text + event.text;
  });
  return { texts, shown, countResets: () => resets };
}

test('pieces in any size, with secrets, and connections at any time give the text of the journal', () => {
  const seed = chooseSeed('FUZZ_SEED');
  const random = createSeededRandom(seed);
  for (let round = 0; round < 300; round++) {
    const parts = Array.from({ length: 1 + random.int(12) }, () =>
      random.pick(['hunter2-secret', 'hunter2', 'plain words ', '😀', '… ', 'h', 'unter']),
    );
    const whole = parts.join('');
    let client = connect();
    client.texts.start(node);
    let resets = 0;
    for (let at = 0; at < whole.length;) {
      const text = whole.slice(at, at + 1 + random.int(9));
      client.texts.receive({ path: 'chat', textId: '1', offset: at, text });
      at += text.length;
      expect(client.shown.text, `seed ${seed}`).not.toContain('hunter2-secret');
      if (random.int(5) > 0) continue;
      resets += client.countResets();
      client = connect(client.shown, client.texts.partial);
      client.texts.start(node);
      client.texts.receive({ path: 'chat', textId: '1', offset: 0, text: whole.slice(0, at) });
    }
    client.texts.complete(node, redact(whole), () => {});
    expect(client.shown.text, `seed ${seed}`).toBe(redact(whole));
    expect(resets + client.countResets(), `seed ${seed}`).toBe(0);
  }
});

test('another text of the same node run begins anew', () => {
  const client = connect();
  client.texts.start(node);
  client.texts.receive({ path: 'chat', textId: '1', offset: 0, text: 'The first response' });
  client.texts.receive({ path: 'chat', textId: '2', offset: 0, text: 'A second response' });
  client.texts.complete(node, 'A second response.', () => {});
  expect(client.shown.text).toBe('A second response.');
  expect(client.countResets()).toBe(1);
});

test('a client that has another text than the journal is corrected', () => {
  const first = connect();
  first.texts.start(node);
  first.texts.receive({ path: 'chat', textId: '1', offset: 0, text: 'The first response' });
  const second = connect(first.shown, first.texts.partial);
  second.texts.start(node);
  second.texts.complete(node, 'Another one', () => {});
  expect(second.shown.text).toBe('Another one');
  expect(second.countResets()).toBe(1);
});

test('pieces that are missing, repeated, or earlier than the start of their node run', () => {
  const client = connect();
  client.texts.receive({ path: 'chat', textId: '1', offset: 0, text: 'one two ' });
  expect(client.shown.text).toBe('');
  client.texts.start(node);
  client.texts.receive({ path: 'chat', textId: '1', offset: 4, text: 'two three ' });
  client.texts.receive({ path: 'chat', textId: '1', offset: 30, text: 'five' });
  expect(client.shown.text).toBe('one two three '.slice(0, -3));
  client.texts.complete(node, 'one two three four five', () => {});
  expect(client.shown.text).toBe('one two three four five');
  expect(client.countResets()).toBe(0);
});

test('what a client has of one text is kept while another is sent, before the start of the first is read', () => {
  const other = { id: 'other', path: 'other' };
  const partial = [{ path: 'other', length: 3, digest: '0123456789abcdef' }];
  const client = connect({ text: '' }, partial);
  client.texts.start(node);
  client.texts.receive({ path: 'chat', textId: '1', offset: 0, text: 'The first response' });
  expect(client.texts.partial.map(({ path }) => path)).toEqual(['chat', 'other']);
  client.texts.start(other);
  expect(client.texts.partial).toContainEqual(partial[0]);
  client.texts.forget(other);
  expect(client.texts.partial.map(({ path }) => path)).toEqual(['chat']);
});

test('the text of a failed attempt is discarded', () => {
  const client = connect();
  client.texts.start(node);
  client.texts.receive({ path: 'chat', textId: '1', offset: 0, text: 'The first response' });
  client.texts.discard(node, false);
  expect(client.shown.text).toBe('');
  client.texts.start(node);
  client.texts.receive({ path: 'chat', textId: '2', offset: 0, text: 'Again, and longer' });
  client.texts.complete(node, 'Again, and longer', () => {});
  expect(client.shown.text).toBe('Again, and longer');
});
