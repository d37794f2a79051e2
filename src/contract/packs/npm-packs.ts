import type { Json } from '../../lib/json/json.ts';
import type { NpmProperty } from './npm-properties.ts';
import type { PackSecurityScheme, SecurityRequirement } from './pack-security.ts';

/*
 * Packs from npm: packages in the form of an Activepieces piece, whose actions run in a process of their own.
 * A manifest contains what the package declares, in the terms of Weft.
 */

/** Bytes of the files that one call of an action reads. */
export const MAX_CALL_FILE_BYTES = 8 * 1024 * 1024;
/** The time limit of an action when its node has none. */
export const CALL_TIMEOUT_MS = 300_000;

export type NpmOperation = {
  /** The name of the action in the package. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly deprecated: false;
  readonly properties: readonly NpmProperty[];
  /** Whether the package states that the action may be repeated. */
  readonly idempotent: boolean;
  /** Alternatives; empty: the action needs no authentication. */
  readonly security: readonly SecurityRequirement[];
  readonly response: null;
};

/** A request that has this header, parameter of the query or field of its body verifies the address. */
export type NpmHandshake = { readonly in: 'header' | 'query' | 'body'; readonly name: string };

/**
 * `webhook`: a service sends requests to an address of the trigger. `app_webhook`: a service sends the events
 * of all accounts to one address of the pack.
 */
export const npmTriggerStrategies = ['polling', 'webhook', 'app_webhook'] as const;
export type NpmTriggerStrategy = (typeof npmTriggerStrategies)[number];

/**
 * A trigger that the package has. Without a strategy, it cannot start workflows: the package lacks what it
 * needs, or the version was installed before Weft supported it.
 */
export type NpmTrigger = {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly strategy?: NpmTriggerStrategy | null;
  readonly properties?: readonly NpmProperty[];
  /** Alternatives; empty: the trigger needs no authentication. */
  readonly security?: readonly SecurityRequirement[];
  /** Of a `webhook`; null: the service does not verify the address. */
  readonly handshake?: NpmHandshake | null;
  /** A cron expression in UTC: when the registration of a `webhook` is renewed. Null: it lasts. */
  readonly renewal?: string | null;
  /** An example of an item; null: the package has none. */
  readonly sample?: Json;
};

/** A trigger that can start workflows. */
export type NpmUsableTrigger = Required<NpmTrigger> & { readonly strategy: NpmTriggerStrategy };

/** The triggers that can start workflows. */
export function listUsableTriggers({ triggers }: Pick<NpmManifest, 'triggers'>): NpmUsableTrigger[] {
  const none = { properties: [], security: [], handshake: null, renewal: null, sample: null };
  return triggers.flatMap((trigger) => {
    const { strategy } = trigger;
    return strategy === null || strategy === undefined ? [] : [{ ...none, ...trigger, strategy }];
  });
}

/** Whether a service sends the events of all accounts to one address. */
export function hasAppWebhooks(manifest: Pick<NpmManifest, 'triggers'>): boolean {
  return manifest.triggers.some(({ strategy }) => strategy === 'app_webhook');
}

export type NpmManifest = {
  readonly kind: 'npm';
  /** Lower-case letters, digits and `_`, from the name of the package; at most 64 characters. */
  readonly name: string;
  /** The version of the package: major.minor.patch. */
  readonly version: string;
  readonly documentVersion: string;
  readonly title: string;
  readonly description: string;
  readonly package: {
    readonly name: string;
    /** `sha512-` and base64, of the archive. */
    readonly integrity: string;
    /** The id of the registry's key; null: the signature was not checked. */
    readonly signedBy: string | null;
    /** As the package states it; null: it states none. */
    readonly license: string | null;
  };
  readonly servers: readonly [];
  readonly securitySchemes: readonly PackSecurityScheme[];
  readonly operations: readonly NpmOperation[];
  readonly triggers: readonly NpmTrigger[];
  readonly warnings: readonly string[];
};
