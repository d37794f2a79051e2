import { describe, expect, it } from 'vitest';
import { chooseSeed, createSeededRandom } from '../../test/support/seeded-random.ts';
import type { Json } from '../lib/json/json.ts';
import { compileConfig } from './compile-config.ts';
import { TemplateError, TemplateEvaluationError } from './errors.ts';
import { compileUrlTemplate } from './url.ts';

const url = (text: string, input: Json = {}): Json =>
  compileUrlTemplate(text).evaluate({ input, trigger: null, now: 0 });

describe('placeholders in a URL', () => {
  it.each<[string, Json, string]>([
    ['https://a.example/x/{{ id }}', { id: 17 }, 'https://a.example/x/17'],
    ['https://a.example/x/{{ id }}/y', { id: 'a/../b?c#d' }, 'https://a.example/x/a%2F..%2Fb%3Fc%23d/y'],
    ['https://a.example/{{ id }}', { id: 'a\\b c%2e' }, 'https://a.example/a%5Cb%20c%252e'],
    ['https://a.example/v1.{{ id }}', { id: '2' }, 'https://a.example/v1.2'],
    ['https://a.example?q={{ q }}&x=1', { q: 'a&x=2#y+z' }, 'https://a.example?q=a%26x%3D2%23y%2Bz&x=1'],
    [
      'https://a.example/{{ p }}?q={{ q }}#{{ f }}',
      { p: '?', q: '&', f: '#' },
      'https://a.example/%3F?q=%26#%23',
    ],
    ['https://a.example/?q={{ q }}', { q: '..' }, 'https://a.example/?q=..'],
    ['https://a.example/{{ id | url_encode }}', { id: 'a/b' }, 'https://a.example/a%2Fb'],
    ['https://a.example/{{ id }}', { id: 'x\ud800' }, 'https://a.example/x%EF%BF%BD'],
    ['{{ u }}', { u: 'https://a.example/x?y#z' }, 'https://a.example/x?y#z'],
    ['{{ base }}/x/{{ id }}', { base: 'http://127.0.0.1:9/v1', id: '/' }, 'http://127.0.0.1:9/v1/x/%2F'],
    [' {{ base }}?id={{ id }}', { base: 'https://a.example', id: '&' }, ' https://a.example?id=%26'],
    ['https://{{ h }}', { h: 'a.example:8443' }, 'https://a.example:8443'],
    ['https://{{ h }}/x', { h: 'a.example' }, 'https://a.example/x'],
    ['https://{{ t }}.a.example/x', { t: 'shop-1' }, 'https://shop-1.a.example/x'],
    ['https://{{ t }}-api.a.example/x', { t: 'eu' }, 'https://eu-api.a.example/x'],
    ['https://api.{{ d }}/x', { d: 'a.example' }, 'https://api.a.example/x'],
    ['http://a.example:{{ p }}/x', { p: 8080 }, 'http://a.example:8080/x'],
    ['http://{{ h }}:{{ p }}/x', { h: 'a', p: 80 }, 'http://a:80/x'],
  ])('%s with %j', (text, input, expected) => {
    expect(url(text, input)).toBe(expected);
  });

  it.each<[string, Json, RegExp]>([
    ['https://a.example/users/{{ id }}/orders', { id: '..' }, /must not be \. or \.\./],
    ['https://a.example/users/{{ id }}', { id: '.' }, /must not be/],
    ['https://a.example/users/.{{ id }}', { id: '.' }, /must not be/],
    ['https://a.example/users/{{ a }}{{ b }}', { a: '.', b: '.' }, /must not be/],
    ['https://a.example/users/%2e{{ a | url_encode }}?x', { a: '.' }, /must not be/],
    ['{{ base }}/{{ id }}', { base: 'https://a.example', id: '..' }, /must not be/],
    ['https://{{ t }}.a.example/', { t: 'evil.example/' }, /letters and digits/],
    ['https://{{ t }}.a.example/', { t: 'evil.example#' }, /letters and digits/],
    ['https://{{ t }}.a.example/', { t: 'evil.example\\' }, /letters and digits/],
    ['https://{{ t }}.a.example/', { t: '' }, /letters and digits/],
    ['https://{{ t }}.a.example/', { t: 'u:p@evil' }, /letters and digits/],
    ['https://{{ h }}/', { h: 'evil.example/x' }, /name with an optional port/],
    ['https://{{ h }}:80/', { h: 'a:1' }, /letters and digits/],
    ['https://a.example:{{ p }}/', { p: '80@evil.example' }, /digits/],
  ])('refuses %s with %j', (text, input, message) => {
    expect(() => url(text, input)).toThrow(TemplateEvaluationError);
    expect(() => url(text, input)).toThrow(message);
  });

  it.each([
    ['https://a.example{{ path }}'],
    ['https://a.example{{ path }}/x'],
    ['https://{{ a }}{{ b }}/x'],
    ['{{ base }}{{ path }}'],
    ['{{ base }}.example/x'],
    ['{{ scheme }}://a.example/x'],
  ])('finds no position in %s', (text) => {
    expect(() => compileUrlTemplate(text)).toThrow(TemplateError);
  });

  it('leaves host, segments and parameters as they are, whatever the values', () => {
    const seed = chooseSeed('FUZZ_SEED');
    const { int, pick } = createSeededRandom(seed);
    const pieces = [
      '..',
      '.',
      '/',
      '\\',
      '?',
      '#',
      '&',
      '=',
      '%',
      '%2e',
      '%2f',
      '@',
      ':',
      ' ',
      '\t',
      '\n',
      'ü',
      '\ud800',
      'a',
      '{{',
      '//',
    ];
    const text = (): string => Array.from({ length: int(6) }, () => pick(pieces)).join('');
    for (let i = 0; i < 5_000; i++) {
      const [a, b, q] = [text(), text(), text()];
      let made: Json;
      try {
        made = url('https://a.example/x/{{ a }}/y-{{ b }}?k={{ q }}&l=1', { a, b, q });
      } catch {
        expect(['.', '..'], `seed ${seed}`).toContain(a);
        continue;
      }
      const { host, pathname, search, hash } = new URL(made as string);
      const [, x, first, second, ...more] = pathname.split('/');
      const parameters = [...new URLSearchParams(search)];
      expect(
        [host, x, decodeURIComponent(first ?? ''), decodeURIComponent(second ?? ''), more, parameters, hash],
        `seed ${seed}`,
      ).toEqual([
        'a.example',
        'x',
        a.toWellFormed(),
        `y-${b.toWellFormed()}`,
        [],
        [
          ['k', q.toWellFormed()],
          ['l', '1'],
        ],
        '',
      ]);
    }
  });

  it('is an error of the field that contains it, and names its secrets', () => {
    const compile = (text: string) => compileConfig({ url: text }, { skip: () => 'url' });
    expect(compile('https://a.example{{ path }}').errors).toMatchObject([{ pointer: 'url' }]);
    expect(compile('https://a.example/{{ secrets.KEY }}').secretReads).toMatchObject([
      { name: 'KEY', isWhole: false },
    ]);
    expect(() =>
      compile('https://a.example/{{ id }}').evaluate({ input: { id: '..' }, trigger: null, now: 0 }),
    ).toThrow(expect.objectContaining({ field: 'url' }));
  });
});
