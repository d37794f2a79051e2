import { expect, test } from 'vitest';
import { authenticateWithFields, readFieldAuthentication } from './connection-fields.ts';

test.each(['key', '__proto__', 'constructor'])('the query parameter %s is sent', (name) => {
  const { authentication } = readFieldAuthentication({ type: 'query', name });
  const { query } = authenticateWithFields(authentication, { value: 'secret' });
  expect(Object.entries(query)).toEqual([[name, 'secret']]);
});
