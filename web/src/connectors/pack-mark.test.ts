import { expect, test } from 'vitest';
import { readServiceName } from './pack-mark.ts';

test.each([
  ['npm.slack', 'slack'],
  ['npm.google_sheets', 'googlesheets'],
  ['npm.telegram_bot', 'telegram'],
  ['npm.woocommerce.trigger', 'woocommerce'],
  ['openapi.github_v3_rest_api', 'github'],
  ['openapi.box_office', 'boxoffice'],
  ['openapi.x', 'x'],
  ['http_request', null],
  ['slack', null],
])('the service of %s is %s', (type, service) => {
  expect(readServiceName(type)).toBe(service);
});
