import { describe, expect, test } from 'vitest';
import type { PackParameter, ParameterLocation, ParameterStyle } from '../../contract/packs/packs.ts';
import type { Json } from '../../lib/json/json.ts';
import { serializeCookie, serializeHeader, serializePath, serializeQuery } from './serialize.ts';

/* Expected values: OpenAPI 3.1.1, "Style Examples", and RFC 6570 for what that table leaves out. */

const empty = '';
const primitive = 'blue';
const list = ['blue', 'black', 'brown'];
const object = { R: 100, G: 200, B: 150 };

function parameter(
  location: ParameterLocation,
  style: ParameterStyle,
  explode: boolean,
  rest: Partial<PackParameter> = {},
): PackParameter {
  return {
    name: 'color',
    in: location,
    style,
    explode,
    allowReserved: false,
    required: false,
    deprecated: false,
    contentType: null,
    schema: {},
    ...rest,
  };
}

function write(one: PackParameter, value: Json): string | null {
  switch (one.in) {
    case 'path':
      return serializePath(one, value);
    case 'header':
      return serializeHeader(one, value);
    case 'cookie':
      return serializeCookie(one, value).join('; ');
    default:
      return serializeQuery(one, value).join('&');
  }
}

type Row = [ParameterLocation, ParameterStyle, boolean, string, string, string, string];

describe('style × explode × type', () => {
  test.each<Row>([
    // location, style, explode, empty, primitive, array, object
    ['path', 'matrix', false, ';color', ';color=blue', ';color=blue,black,brown', ';color=R,100,G,200,B,150'],
    [
      'path',
      'matrix',
      true,
      ';color',
      ';color=blue',
      ';color=blue;color=black;color=brown',
      ';R=100;G=200;B=150',
    ],
    ['path', 'label', false, '.', '.blue', '.blue,black,brown', '.R,100,G,200,B,150'],
    ['path', 'label', true, '.', '.blue', '.blue.black.brown', '.R=100.G=200.B=150'],
    ['path', 'simple', false, '', 'blue', 'blue,black,brown', 'R,100,G,200,B,150'],
    ['path', 'simple', true, '', 'blue', 'blue,black,brown', 'R=100,G=200,B=150'],
    ['header', 'simple', false, '', 'blue', 'blue,black,brown', 'R,100,G,200,B,150'],
    ['header', 'simple', true, '', 'blue', 'blue,black,brown', 'R=100,G=200,B=150'],
    ['query', 'form', false, 'color=', 'color=blue', 'color=blue,black,brown', 'color=R,100,G,200,B,150'],
    [
      'query',
      'form',
      true,
      'color=',
      'color=blue',
      'color=blue&color=black&color=brown',
      'R=100&G=200&B=150',
    ],
    ['cookie', 'form', false, 'color=', 'color=blue', 'color=blue,black,brown', 'color=R,100,G,200,B,150'],
    [
      'cookie',
      'form',
      true,
      'color=',
      'color=blue',
      'color=blue; color=black; color=brown',
      'R=100; G=200; B=150',
    ],
    // The table has no value for the empty string and the primitive of the following styles.
    [
      'query',
      'spaceDelimited',
      false,
      'color=',
      'color=blue',
      'color=blue%20black%20brown',
      'color=R%20100%20G%20200%20B%20150',
    ],
    [
      'query',
      'pipeDelimited',
      false,
      'color=',
      'color=blue',
      'color=blue%7Cblack%7Cbrown',
      'color=R%7C100%7CG%7C200%7CB%7C150',
    ],
    [
      'query',
      'spaceDelimited',
      true,
      'color=',
      'color=blue',
      'color=blue&color=black&color=brown',
      'R=100&G=200&B=150',
    ],
    [
      'query',
      'pipeDelimited',
      true,
      'color=',
      'color=blue',
      'color=blue&color=black&color=brown',
      'R=100&G=200&B=150',
    ],
    [
      'query',
      'deepObject',
      true,
      'color=',
      'color=blue',
      'color%5B0%5D=blue&color%5B1%5D=black&color%5B2%5D=brown',
      'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150',
    ],
  ])('%s %s explode %s', (location, style, explode, ofEmpty, ofPrimitive, ofList, ofObject) => {
    const one = parameter(location, style, explode);
    expect([empty, primitive, list, object].map((value) => write(one, value))).toEqual([
      ofEmpty,
      ofPrimitive,
      ofList,
      ofObject,
    ]);
    // Null, and a list or an object without values, are no value.
    for (const nothing of [null, [], {}, [null], { R: null }])
      expect(write(one, nothing)).toBe(location === 'path' || location === 'header' ? null : '');
  });

  test.each<[ParameterLocation, ParameterStyle, boolean, Json, string]>([
    ['query', 'form', true, ['blue', null, 'brown'], 'color=blue&color=brown'],
    ['query', 'form', false, { R: 100, G: null }, 'color=R,100'],
    ['query', 'form', true, [1, true, { a: 1 }], 'color=1&color=true&color=%7B%22a%22%3A1%7D'],
    [
      'query',
      'deepObject',
      true,
      { a: { b: 'x y', c: [1, 2] }, d: null },
      'color%5Ba%5D%5Bb%5D=x%20y&color%5Ba%5D%5Bc%5D%5B0%5D=1&color%5Ba%5D%5Bc%5D%5B1%5D=2',
    ],
    ['path', 'simple', false, false, 'false'],
    ['path', 'simple', false, 0, '0'],
  ])('values of other types: %s %s explode %s %j', (location, style, explode, value, expected) => {
    expect(write(parameter(location, style, explode), value)).toBe(expected);
  });
});

describe('encoding', () => {
  test.each<[ParameterLocation, ParameterStyle, string, string]>([
    ['path', 'simple', 'octo cat/é', 'octo%20cat%2F%C3%A9'],
    ['path', 'simple', "!'()*~-._", '%21%27%28%29%2A~-._'],
    ['path', 'label', 'a,b', '.a%2Cb'],
    ['path', 'matrix', 'a;b=c', ';color=a%3Bb%3Dc'],
    ['query', 'form', 'a&b=c#d+e', 'color=a%26b%3Dc%23d%2Be'],
    ['query', 'form', 'lone \ud800', 'color=lone%20%EF%BF%BD'],
    ['header', 'simple', 'a b/é,"c"', 'a b/é,"c"'],
    ['cookie', 'form', 'a;b', 'color=a%3Bb'],
  ])('%s %s %j', (location, style, value, expected) => {
    expect(write(parameter(location, style, false), value)).toBe(expected);
  });

  test.each<[Json, string]>([
    ["/?:@!$'()*,;", "color=/?:@!$'()*,;"],
    ['https://example.com/a?b=1&c#d', 'color=https://example.com/a?b%3D1%26c%23d'],
    ['50% of %2F', 'color=50%25%20of%20%2F'],
    [['a/b', 'c[d]'], 'color=a/b,c%5Bd%5D'],
    ['é+', 'color=%C3%A9%2B'],
  ])('allowReserved keeps reserved characters that do not divide a query: %j', (value, expected) => {
    expect(write(parameter('query', 'form', false, { allowReserved: true }), value)).toBe(expected);
  });

  test('names are encoded', () => {
    expect(serializeQuery(parameter('query', 'form', true, { name: 'filter[a b]' }), 1)).toEqual([
      'filter%5Ba%20b%5D=1',
    ]);
  });

  test.each<[ParameterLocation, string | null, string]>([
    ['query', 'application/json', 'color=%7B%22R%22%3A100%2C%22G%22%3A200%2C%22B%22%3A150%7D'],
    ['path', 'application/json', '%7B%22R%22%3A100%2C%22G%22%3A200%2C%22B%22%3A150%7D'],
    ['header', 'application/json', '{"R":100,"G":200,"B":150}'],
  ])('a parameter with a media type: %s', (location, contentType, expected) => {
    const style = location === 'query' ? 'form' : 'simple';
    expect(write(parameter(location, style, true, { contentType }), object)).toBe(expected);
  });
});
