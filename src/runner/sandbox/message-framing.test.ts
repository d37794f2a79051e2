import { expect, test } from 'vitest';
import { encodeFrame, FrameError, FrameReader } from './message-framing.ts';

test('frames arrive whole, in whatever pieces they come', () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  let state = seed;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state % below;
  };
  for (let round = 0; round < 200; round++) {
    const sent = Array.from({ length: 1 + random(5) }, (_, i) => ({
      header: { i, text: 'ä'.repeat(random(50)) },
      texts: Array.from({ length: random(3) }, () => '€\u0000x'.repeat(random(2_000))),
    }));
    const bytes = Buffer.concat(sent.map(({ header, texts }) => encodeFrame(header, texts)));
    const reader = new FrameReader(1_000_000);
    const received = [];
    for (let at = 0; at < bytes.length;) {
      const end = at + 1 + random(3_000);
      received.push(...reader.push(bytes.subarray(at, end)));
      at = end;
    }
    expect(received, `seed ${seed}`).toEqual(sent);
  }
});

const frame = (head: string, rest = ''): Buffer => {
  const prefix = Buffer.alloc(8);
  prefix.writeUInt32BE(4 + head.length + rest.length, 0);
  prefix.writeUInt32BE(head.length, 4);
  return Buffer.concat([prefix, Buffer.from(head + rest)]);
};

test.each([
  ['a length past the bound', Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0])],
  ['no length at all', Buffer.alloc(8)],
  ['a header past the frame', Buffer.from([0, 0, 0, 6, 0, 0, 0, 9, 1, 2])],
  ['a header that is not JSON', frame('nonsense')],
  ['a header that is null', frame('null')],
  ['lengths that are none', frame('{"lengths":[-1]}')],
  ['lengths that are text', frame('{"lengths":["4"]}', 'abcd')],
  ['a text past the frame', frame('{"lengths":[9]}', 'abcd')],
  ['too many texts', frame('{"lengths":[0,0,0,0,0]}')],
  ['bytes behind the last text', frame('{"lengths":[1]}', 'abcd')],
])('%s is refused', (_title, bytes) => {
  expect(() => new FrameReader(1_000).push(bytes)).toThrow(FrameError);
});

test('a frame that is too long is refused before it has arrived', () => {
  const reader = new FrameReader(100);
  expect(reader.push(Buffer.from([0, 0, 0, 100, 0, 0]))).toEqual([]);
  expect(() => new FrameReader(100).push(Buffer.from([0, 0, 0, 101, 0, 0, 0, 0]))).toThrow(FrameError);
});
