import { describe, expect, test } from 'vitest';
import type { LivePart } from '../../../contract/ai/models.ts';
import { formatTextPath, parseTextPath } from '../../../ports/live-texts.ts';
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
    client.texts.complete(node, 'text', redact(whole), () => {});
    expect(client.shown.text, `seed ${seed}`).toBe(redact(whole));
    expect(resets + client.countResets(), `seed ${seed}`).toBe(0);
  }
});

test('another text of the same node run begins anew', () => {
  const client = connect();
  client.texts.start(node);
  client.texts.receive({ path: 'chat', textId: '1', offset: 0, text: 'The first response' });
  client.texts.receive({ path: 'chat', textId: '2', offset: 0, text: 'A second response' });
  client.texts.complete(node, 'text', 'A second response.', () => {});
  expect(client.shown.text).toBe('A second response.');
  expect(client.countResets()).toBe(1);
});

test('a client that has another text than the journal is corrected', () => {
  const first = connect();
  first.texts.start(node);
  first.texts.receive({ path: 'chat', textId: '1', offset: 0, text: 'The first response' });
  const second = connect(first.shown, first.texts.partial);
  second.texts.start(node);
  second.texts.complete(node, 'text', 'Another one', () => {});
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
  client.texts.complete(node, 'text', 'one two three four five', () => {});
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
  client.texts.complete(node, 'text', 'Again, and longer', () => {});
  expect(client.shown.text).toBe('Again, and longer');
});

describe('reasoning and the arguments of tools', () => {
  type Shown = { readonly texts: Map<string, string>; resets: number };
  const createKey = (event: TextEvent): string => {
    const kind = event.type === 'reset' ? event.of : event.type;
    return 'call_id' in event && event.call_id !== null ? `${kind} ${event.call_id}` : kind;
  };
  function connectAll(shown: Shown, partial: readonly PartialText[] = []): StreamedTexts {
    const texts = new StreamedTexts(partial, redact, (_node, event) => {
      const key = createKey(event);
      if (event.type === 'reset') shown.resets++;
      shown.texts.set(key, event.type === 'reset' ? '' : (shown.texts.get(key) ?? '') + event.text);
    });
    texts.start(node);
    return texts;
  }
  const parts: Record<string, LivePart> = {
    text: { kind: 'text' },
    reasoning: { kind: 'reasoning' },
    'tool_arguments a#/1': { kind: 'tool_arguments', callId: 'a#/1', tool: 'find' },
    'tool_arguments b': { kind: 'tool_arguments', callId: 'b', tool: 'find' },
  };
  const whole: Record<string, string> = {
    reasoning: 'First I look, hunter2-secret, then I answer.',
    text: 'I look.',
    'tool_arguments a#/1': '{"number": "A-17"}',
    'tool_arguments b': '{"number": "A-18"}',
  };

  test('connections at any time miss nothing and get nothing twice', () => {
    const seed = chooseSeed('FUZZ_SEED');
    const random = createSeededRandom(seed);
    for (let round = 0; round < 100; round++) {
      const shown: Shown = { texts: new Map(), resets: 0 };
      let texts = connectAll(shown);
      const written = new Map<string, number>();
      const send = (key: string, from: number, to: number): void =>
        texts.receive({
          path: formatTextPath('chat', parts[key]!),
          textId: key,
          offset: from,
          text: whole[key]!.slice(from, to),
        });
      for (let step = 0; step < 40; step++) {
        const key = random.pick(Object.keys(whole));
        const at = written.get(key) ?? 0;
        const next = Math.min(at + 1 + random.int(8), whole[key]!.length);
        send(key, at, next);
        written.set(key, next);
        if (random.int(4) > 0) continue;
        texts = connectAll(shown, texts.partial);
        for (const [one, end] of written) send(one, 0, end);
      }
      texts.complete(node, 'reasoning', redact(whole['reasoning']!));
      texts = connectAll(shown, texts.partial);
      texts.forgetPart(node, 'reasoning');
      for (const [one, end] of written) if (one !== 'reasoning') send(one, 0, end);
      for (const key of Object.keys(whole)) if (key !== 'reasoning') send(key, 0, whole[key]!.length);
      texts.complete(node, 'text', redact(whole['text']!));
      texts.end(node);
      expect(Object.fromEntries(shown.texts), `seed ${seed}`).toEqual(redact(whole));
      expect(shown.resets, `seed ${seed}`).toBe(0);
      expect(texts.partial).toEqual([]);
    }
  });

  test('the path of a text has the id of its node and the part of the response', () => {
    for (const path of ['chat', 'agent[2.1]/a#b ü', 'a[0]/b[1]/c'])
      for (const part of Object.values(parts))
        expect(parseTextPath(formatTextPath(path, part))).toEqual({ path, part });
    expect(parseTextPath('a//%/b')).toEqual({
      path: 'a',
      part: { kind: 'tool_arguments', callId: '%', tool: 'b' },
    });
  });

  test('all parts of a failed attempt are discarded', () => {
    const shown: Shown = { texts: new Map(), resets: 0 };
    const texts = connectAll(shown);
    for (const [key, part] of Object.entries(parts))
      texts.receive({ path: formatTextPath('chat', part), textId: '1', offset: 0, text: key });
    texts.discard(node, true);
    expect([...shown.texts.values()]).toEqual(['', '', '', '']);
    expect(texts.partial).toEqual([]);
  });

  test('the arguments of at most 16 calls are sent', () => {
    const shown: Shown = { texts: new Map(), resets: 0 };
    const texts = connectAll(shown);
    for (let i = 0; i < 20; i++)
      texts.receive({
        path: formatTextPath('chat', { kind: 'tool_arguments', callId: `c${i}`, tool: 'find' }),
        textId: '1',
        offset: 0,
        text: '{"number": "A-17"}',
      });
    expect(shown.texts.size).toBe(16);
  });
});
