import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import type { PackAppEvent, PackHandshakeResponse, PackListener, PackTriggerResult } from './pack-call.ts';

/* The process of a pack may return anything: what it returned is read into the forms of the contract. */

const MAX_EVENT = 200;
const MAX_IDENTIFIER = 500;

export function readTriggerResult(value: Json): PackTriggerResult {
  const { items, state, response, listeners } = isObject(value) ? value : {};
  return {
    items: Array.isArray(items) ? items : [],
    state: isObject(state) ? state : {},
    response: isObject(response) ? readResponse(response) : null,
    listeners: (Array.isArray(listeners) ? listeners : []).flatMap((one) => {
      const listener = isObject(one) ? readListener(one) : null;
      return listener === null ? [] : [listener];
    }),
  };
}

export function readAppEvent(value: Json): PackAppEvent {
  const given = isObject(value) ? value : {};
  if (given['isVerified'] !== true) return { isVerified: false, listener: null, reply: null };
  const { reply } = given;
  return {
    isVerified: true,
    listener: readListener(given),
    reply: isObject(reply) ? readResponse(reply) : null,
  };
}

function readListener({ event, identifier }: JsonObject): PackListener | null {
  const isUsable =
    typeof event === 'string' &&
    typeof identifier === 'string' &&
    event !== '' &&
    identifier !== '' &&
    event.length <= MAX_EVENT &&
    identifier.length <= MAX_IDENTIFIER;
  return isUsable ? { event, identifier } : null;
}

function readResponse({ status, headers, body = null }: JsonObject): PackHandshakeResponse {
  const isStatus = typeof status === 'number' && Number.isInteger(status) && status >= 200 && status <= 599;
  const texts = Object.entries(isObject(headers) ? headers : {}).flatMap(([name, text]) =>
    typeof text === 'string' && name.toLowerCase() !== 'set-cookie' ? [[name, text] as const] : [],
  );
  return { status: isStatus ? status : 200, headers: Object.fromEntries(texts), body };
}
