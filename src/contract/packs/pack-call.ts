import type { Json, JsonObject } from '../../lib/json/json.ts';

/**
 * An action of a pack from npm. `auth` and `props` are in the form of the package; a text of `props` that is
 * a key of `files` stands for the file.
 */
export type PackCall = {
  pack: { name: string; version: string; integrity: string };
  /** The name of the action, or of the trigger when `trigger` is set. */
  operation: string;
  /**
   * Calls a function of a trigger instead of an action. `state`: what it kept after its last call. The result
   * is a PackTriggerResult.
   */
  trigger?: PackTriggerCall;
  /** Loads what a field accepts instead of running an action. The result is a LoadedPackChoices. */
  choices?: { of: 'action' | 'trigger'; property: string; search: string };
  auth: Json;
  props: JsonObject;
  files: ReadonlyMap<string, { name: string; bytes: Uint8Array }>;
};

export const packTriggerHooks = ['enable', 'poll', 'disable', 'renew', 'handshake'] as const;
export type PackTriggerHook = (typeof packTriggerHooks)[number];

/**
 * `webhookUrl` and `payload` are those of a webhook: the address of the trigger, and a request that it
 * received.
 */
export type PackTriggerCall = {
  hook: PackTriggerHook;
  state: JsonObject;
  webhookUrl?: string;
  payload?: PackPayload;
};

/** A request in the form of the packages. */
export type PackPayload = {
  method: string;
  headers: JsonObject;
  queryParams: JsonObject;
  body: Json;
  rawBody: string;
};

/**
 * `items`: of `poll`; empty for others. `response`: of `handshake`. `listeners`: the events of accounts that
 * the trigger wants, of `enable`.
 */
export type PackTriggerResult = {
  items: Json[];
  state: JsonObject;
  response: PackHandshakeResponse | null;
  listeners: PackListener[];
};

/** An event of an account, in the terms of the service. */
export type PackListener = { event: string; identifier: string };

/** A request that a service sent to the address of a pack. */
export type PackAppRequest = {
  pack: PackCall['pack'];
  /** The address to which the service sends. Some services sign it, too. */
  url: string;
  /** With which the service signs its requests. */
  secret: string;
  payload: PackPayload;
};

/**
 * What a pack made of such a request. `isVerified` false: the signature is wrong, and the rest is empty.
 * `listener`: the event that it reports; null: none. `reply`: what the service expects as the response; null:
 * nothing.
 */
export type PackAppEvent = {
  isVerified: boolean;
  listener: PackListener | null;
  reply: PackHandshakeResponse | null;
};

export type PackHandshakeResponse = { status: number; headers: Record<string, string>; body: Json };
