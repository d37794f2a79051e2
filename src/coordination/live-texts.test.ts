import { beforeEach, expect, test } from 'vitest';
import { createInProcessBuses } from './in-process/bus.ts';
import { createLiveTexts } from './live-texts.ts';
import type { LiveText, LiveTexts } from '../ports/live-texts.ts';
import { createTestClock, type TestClock } from '../../test/support/time/clock.ts';

let clock: TestClock;
let writing: LiveTexts;
let following: LiveTexts;
beforeEach(() => {
  clock = createTestClock(0);
  const buses = createInProcessBuses((error) => {
    throw error;
  });
  writing = createLiveTexts(buses.join(), clock);
  following = createLiveTexts(buses.join(), clock);
});

const show = (pieces: LiveText[]): string[] =>
  pieces.map(({ path, offset, text }) => `${path} ${offset} ${text}`);

test.each(['the same process', 'another process'])(
  'a follower in %s gets what was written, then each piece',
  (where) => {
    const pieces: LiveText[] = [];
    const text = writing.open('ex_1', 'a');
    text.begin();
    text.write({ kind: 'text' }, 'one ');
    text.write({ kind: 'text' }, 'two ');
    const leave = (where === 'the same process' ? writing : following).follow('ex_1', (piece) =>
      pieces.push(piece),
    );
    text.write({ kind: 'text' }, 'three');
    expect(show(pieces)).toEqual(['a 0 one two ', 'a 8 three']);
    text.begin();
    text.write({ kind: 'text' }, 'again');
    expect(show(pieces).slice(2)).toEqual(['a 0 again']);
    expect(new Set(pieces.map(({ textId }) => textId)).size).toBe(2);
    leave();
    text.write({ kind: 'text' }, 'unheard');
    text.close();
    expect(pieces).toHaveLength(3);
  },
);

test('a follower in another process that came before the text gets it from the beginning', () => {
  const pieces: LiveText[] = [];
  following.follow('ex_1', (piece) => pieces.push(piece));
  const text = writing.open('ex_1', 'a');
  text.begin();
  text.write({ kind: 'text' }, 'one ');
  text.write({ kind: 'text' }, 'two');
  text.close();
  const next = writing.open('ex_1', 'b');
  next.begin();
  next.write({ kind: 'text' }, 'three');
  expect(show(pieces)).toEqual(['a 0 one ', 'a 4 two', 'b 0 three']);
});

test('a process that stopped asking gets no more, and one that asks again gets the whole text', async () => {
  const pieces: LiveText[] = [];
  const text = writing.open('ex_1', 'a');
  text.begin();
  const leave = following.follow('ex_1', (piece) => pieces.push(piece));
  text.write({ kind: 'text' }, 'one ');
  // The follower asks every 10 s, and is forgotten after 30 s.
  await clock.advance(25_000);
  text.write({ kind: 'text' }, 'two ');
  expect(show(pieces)).toContain('a 4 two ');
  leave();
  await clock.advance(31_000);
  text.write({ kind: 'text' }, 'three');
  pieces.length = 0;
  following.follow('ex_1', (piece) => pieces.push(piece));
  expect(show(pieces)).toEqual(['a 0 one two three']);
});

test('a very long text is passed on up to a limit', () => {
  const pieces: LiveText[] = [];
  writing.follow('ex_1', (piece) => pieces.push(piece));
  const text = writing.open('ex_1', 'a');
  text.begin();
  for (let i = 0; i < 300; i++) text.write({ kind: 'text' }, 'x'.repeat(1_024));
  expect(pieces).toHaveLength(256);
});
