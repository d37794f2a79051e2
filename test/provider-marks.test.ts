import { expect, test } from 'vitest';
import providers from '../src/contract/connections/connection-providers.json' with { type: 'json' };
import services from '../web/src/connectors/service-marks.json' with { type: 'json' };
import marks from '../web/src/credentials/provider-marks.json' with { type: 'json' };

test('every mark is a path, and belongs to a provider of the catalog or to another service', () => {
  expect(Object.keys(marks).filter((id) => !Object.hasOwn(providers, id))).toEqual([]);
  expect(Object.keys(services).filter((id) => Object.hasOwn(marks, id))).toEqual([]);
  const paths = [...Object.values(marks), ...Object.values(services)];
  expect(paths.filter((path) => !/^[Mm][\d\s.,a-zA-Z-]+$/.test(path))).toEqual([]);
  expect(Object.keys(marks)).toEqual(
    expect.arrayContaining(['github', 'google', 'hubspot', 'notion', 'stripe']),
  );
  expect(Object.keys(services)).toEqual(expect.arrayContaining(['gmail', 'telegram', 'woocommerce']));
});
