import { expect, test } from 'vitest';
import providers from '../src/contract/connections/connection-providers.json' with { type: 'json' };
import marks from '../web/src/credentials/provider-marks.json' with { type: 'json' };

test('every mark belongs to a provider of the catalogue and is a path', () => {
  expect(Object.keys(marks).filter((id) => !Object.hasOwn(providers, id))).toEqual([]);
  expect(Object.values(marks).filter((path) => !/^[Mm][\d\s.,a-zA-Z-]+$/.test(path))).toEqual([]);
  expect(Object.keys(marks)).toEqual(
    expect.arrayContaining(['github', 'google', 'hubspot', 'notion', 'stripe']),
  );
});
