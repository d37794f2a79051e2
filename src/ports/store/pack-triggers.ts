import type { PackListener } from '../../contract/packs/pack-call.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import type { ScheduleRow } from './active-triggers.ts';
import type { AuditedChange } from './audit.ts';
import type { PollClaim } from './polling.ts';

/** An app of a pack at its service, which sends the events of all accounts to one address. */
export type PackApp = {
  pack: string;
  /** The last part of the URL that the service knows. */
  address: string;
  /** Encrypted by the caller. */
  secret: string;
  updatedAt: number;
};

/** A request that a trigger of a pack received. `request` is in the form of the service. */
export type PackRequest = { id: string; receivedAt: number; request: JsonObject };

/**
 * A registration at a service that must be removed. `dueAt`: when it was due, or the end of the claim on it.
 */
export type PackRemoval = {
  /** The last part of the URL that the service knows. */
  address: string;
  workflowId: string;
  nodeId: string;
  ownerId: string;
  version: number;
  spec: Json;
  /** What the trigger kept. */
  cursor: string;
  failures: number;
  dueAt: number;
};

/** Triggers of packs that receive requests. They are polls whose items are received requests. */
export type PackTriggerStore = {
  /** The active trigger with this address. `cursor` null: it is being enabled. */
  find(address: string): Promise<(ScheduleRow & { cursor: string | null }) | null>;
  /** Stores a request and makes its trigger due. `full`: as many requests wait as `most`. */
  receive(address: string, request: PackRequest, most: number): Promise<'stored' | 'unknown' | 'full'>;
  /** The request that was received first. */
  firstRequest(workflowId: string, nodeId: string): Promise<PackRequest | null>;
  /**
   * Chooses the address for a call that enables the trigger: `fresh`, unless no service knows the former one.
   * `waiting`: an earlier registration must be removed first. Null: the claim was lost.
   */
  register(claim: PollClaim, fresh: string): Promise<{ address: string } | 'waiting' | null>;
  /** Removes a registration whose trigger changed while it was enabled. */
  removeLater(removal: Omit<PackRemoval, 'failures' | 'dueAt'>): Promise<void>;
  /** Registrations that must be removed. */
  dueRemovals(now: number, limit: number): Promise<PackRemoval[]>;
  nextRemoval(): Promise<number | null>;
  /** Claims a removal that is due at `due`. It is due again at `until`. False: taken. */
  claimRemoval(address: string, due: number, until: number): Promise<boolean>;
  /**
   * Ends the claim that lasts until `until`. `done`: the service does not know the address any more. `retry`:
   * after a failure. `given_up`: the error is shown at the trigger, if it still exists.
   */
  endRemoval(address: string, until: number, end: PackRemovalEnd): Promise<void>;
};

/** Apps of packs, and the triggers that want their events. */
export type PackAppStore = {
  get(pack: string): Promise<PackApp | null>;
  find(address: string): Promise<PackApp | null>;
  /** Stores an app. An existing one keeps its address. Null: the pack is not installed. */
  put(app: PackApp, event?: AuditedChange): Promise<PackApp | null>;
  /** A number: that of the active triggers that listen to it. The app is kept. */
  remove(pack: string, event?: AuditedChange): Promise<'removed' | 'missing' | number>;
  /**
   * Stores a request for some of the active triggers that listen to the event, and makes them due. `after`:
   * the last address of the call before. `last`: null when there are no more. `full`: triggers for which as
   * many requests wait as `most.requests`.
   */
  receive(
    to: PackListener & { pack: string; after: string },
    request: PackRequest,
    most: { requests: number; triggers: number },
  ): Promise<{ last: string | null; stored: ScheduleRow[]; full: ScheduleRow[] }>;
};

export type PackRemovalEnd =
  | { kind: 'done' }
  | { kind: 'retry'; failures: number; next: number }
  | { kind: 'given_up'; error: string };
