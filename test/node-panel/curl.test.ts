import { describe, expect, test } from 'vitest';
import { CurlError, readCurl } from '../../web/src/node-panel/model/curl.ts';

const json = { body_type: 'json' };

describe('a cURL command becomes a request', () => {
  test.each<[string, Record<string, unknown>]>([
    ['curl https://a.test/x', { method: 'GET', url: 'https://a.test/x' }],
    ['curl a.test', { method: 'GET', url: 'http://a.test' }],
    ['curl -sSLk --compressed --url https://a.test', { method: 'GET', url: 'https://a.test' }],
    ['curl -XDELETE https://a.test/1', { method: 'DELETE', url: 'https://a.test/1' }],
    ['curl -o out.json -X PUT https://a.test', { method: 'PUT', url: 'https://a.test' }],
    [
      "curl 'https://a.test/s?q=a%20b&tag=1&tag=2#top'",
      { method: 'GET', url: 'https://a.test/s', query: { q: 'a b', tag: ['1', '2'] } },
    ],
    [
      `curl https://a.test -H 'Accept: text/plain' -H "X-Id: \\"7\\"" -H 'Host: b.test'`,
      { method: 'GET', url: 'https://a.test', headers: { Accept: 'text/plain', 'X-Id': '"7"' } },
    ],
    [
      `curl https://a.test \\\n  -H 'Content-Type: application/json' \\\n  --data-raw '{"a": [1, "it'\\''s"]}'`,
      { method: 'POST', url: 'https://a.test', body: { a: [1, "it's"] }, ...json },
    ],
    [
      `curl --json '{"a":1}' https://a.test`,
      {
        method: 'POST',
        url: 'https://a.test',
        headers: { Accept: 'application/json' },
        body: { a: 1 },
        ...json,
      },
    ],
    [
      "curl -d name=Ada+L -d 'city=K%C3%B6ln' https://a.test",
      {
        method: 'POST',
        url: 'https://a.test',
        body: { name: 'Ada L', city: 'Köln' },
        body_type: 'form-urlencoded',
      },
    ],
    [
      "curl --data-urlencode 'q=a&b' https://a.test",
      { method: 'POST', url: 'https://a.test', body: { q: 'a&b' }, body_type: 'form-urlencoded' },
    ],
    [
      'curl -G https://a.test/s -d q=1 --data-urlencode "r=a b"',
      { method: 'GET', url: 'https://a.test/s', query: { q: '1', r: 'a b' } },
    ],
    [
      "curl https://a.test -H 'Content-Type: text/xml' -d '<a/>'",
      {
        method: 'POST',
        url: 'https://a.test',
        headers: { 'Content-Type': 'text/xml' },
        body: '<a/>',
        body_type: 'text',
      },
    ],
    [
      String.raw`curl https://a.test -H 'Content-Type: text/plain' -d $'x\ny\u00e9'`,
      {
        method: 'POST',
        url: 'https://a.test',
        headers: { 'Content-Type': 'text/plain' },
        body: 'x\nyé',
        body_type: 'text',
      },
    ],
    [
      'curl -u ada:s:3 https://a.test',
      {
        method: 'GET',
        url: 'https://a.test',
        authentication: { type: 'basic', username: 'ada', password: 's:3' },
      },
    ],
    [
      'curl https://ada:s3@a.test/x',
      {
        method: 'GET',
        url: 'https://a.test/x',
        authentication: { type: 'basic', username: 'ada', password: 's3' },
      },
    ],
    [
      "curl https://a.test -H 'authorization: Bearer {{ secrets.T }}'",
      { method: 'GET', url: 'https://a.test', authentication: { type: 'bearer', token: '{{ secrets.T }}' } },
    ],
    [
      "curl https://a.test -H 'authorization: Bearer abc'",
      { method: 'GET', url: 'https://a.test', authentication: { type: 'bearer', token: 'abc' } },
    ],
    [
      "curl https://a.test -H 'Authorization: Basic YWRhOnMz'",
      {
        method: 'GET',
        url: 'https://a.test',
        authentication: { type: 'basic', username: 'ada', password: 's3' },
      },
    ],
    [
      'curl -F title=Report https://a.test',
      { method: 'POST', url: 'https://a.test', body: { title: 'Report' }, body_type: 'form-data' },
    ],
    [
      'curl -m 5 -x http://p:1 a.test',
      { method: 'GET', url: 'http://a.test', proxy: 'http://p:1', timeout: '5s' },
    ],
  ])('%s', (command, config) => {
    expect(readCurl(command).config).toEqual(config);
  });

  test('a field with an inherited name is imported', () => {
    const { body } = readCurl('curl -F __proto__=a -F constructor=b https://a.test').config;
    expect(Object.entries(body as object)).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
  });

  test('what cannot be imported is reported', () => {
    expect(readCurl('curl -F doc=@a.pdf https://a.test').notes).toEqual([
      'The file a.pdf of the field doc was not imported. Add it under Files.',
    ]);
    expect(readCurl('curl -d @body.json https://a.test').notes[0]).toMatch(/body\.json/);
  });

  test.each(['wget https://a.test', 'curl -X POST', 'curl -I https://a.test', ''])(
    '%s is rejected',
    (command) => {
      expect(() => readCurl(command)).toThrow(CurlError);
    },
  );
});
