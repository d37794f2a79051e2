import { parseDuration } from '../../lib/time/duration.ts';
import { isObject, type Json } from '../../lib/json/json.ts';
import type { NodeErrorType } from '../../contract/execution.ts';
import type { NodeFailure } from '../../contract/node-type.ts';

export type RetryPolicy = {
  maxAttempts: number;
  initialDelay: number;
  maxDelay: number;
  multiplier: number;
  conditions: ReadonlySet<string>;
};

/** Conditions that are retried unless the policy lists its own: errors that are often temporary. */
const DEFAULT_CONDITIONS: readonly NodeErrorType[] = ['timeout', 'network', 'rate_limited', 'server_error'];

/** The longest `Retry-After` that is followed. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/** Reads a node's `retryPolicy`; null when it is absent or not enabled. Durations are validated on save. */
export function readRetryPolicy(config: Json | undefined): RetryPolicy | null {
  if (config === undefined || !isObject(config) || config['enabled'] === false) return null;
  const number = (value: Json | undefined, otherwise: number) =>
    typeof value === 'number' ? value : otherwise;
  const duration = (value: Json | undefined, otherwise: number) =>
    typeof value === 'string' ? (parseDuration(value) ?? otherwise) : otherwise;
  const conditions = config['retryConditions'];
  return {
    maxAttempts: number(config['maxAttempts'], 3),
    initialDelay: duration(config['initialDelay'], 1_000),
    maxDelay: duration(config['maxDelay'], 60_000),
    multiplier: number(config['backoffMultiplier'], 2),
    conditions: new Set(Array.isArray(conditions) ? conditions.map(String) : DEFAULT_CONDITIONS),
  };
}

/** The error of a `retryPolicy` that the schema cannot express; null: none. */
export function findRetryPolicyIssue(config: Json | undefined): string | null {
  const policy = readRetryPolicy(config);
  return policy !== null && policy.initialDelay > policy.maxDelay
    ? 'must not be longer than maxDelay, which is 1m unless set'
    : null;
}

/**
 * The delay (ms) before the next attempt; null: no further attempt.
 * @param tries attempts so far, without those that a crash interrupted.
 * @param random in [0, 1): the delay is 50 to 150 % of its nominal value.
 */
export function computeRetryDelay(
  policy: RetryPolicy,
  failure: NodeFailure,
  tries: number,
  random: number,
): number | null {
  if (failure.retryable === false || tries >= policy.maxAttempts) return null;
  if (!policy.conditions.has('any') && !policy.conditions.has(failure.type)) return null;
  const nominal = Math.min(policy.maxDelay, policy.initialDelay * policy.multiplier ** (tries - 1));
  return addJitter(nominal, failure, random);
}

/** A delay (ms) of 50 to 150 % of its nominal value, and at least the server's `Retry-After`. */
export function addJitter(nominal: number, failure: NodeFailure, random: number): number {
  return Math.max(
    Math.round(nominal * (0.5 + random)),
    Math.min(failure.retryAfter ?? 0, MAX_RETRY_AFTER_MS),
  );
}
