import { afterEach, expect } from 'vitest';
import type { NodeFailure, NodeType, Outcome } from '../../src/contract/node-type.ts';
import type { Json, JsonObject } from '../../src/lib/json/json.ts';
import type { LoadedSecret } from '../../src/runner/attempt-secrets.ts';
import { createAttempt, closeRunners, makeRunner, settleAttempt, type AttemptSample } from './node-runner.ts';
import { validateConfig } from '../../src/nodes/validate-config.ts';

/** A connector node on the real runner, with the secret CREDENTIALS. */
export class ConnectorFixture {
  readonly type: NodeType;
  secret: LoadedSecret = { value: '', hosts: null };
  allowedHosts = '127.0.0.1';
  made: ReturnType<typeof makeRunner> | null = null;
  readonly opened: { close(): Promise<void> }[] = [];

  constructor(type: NodeType) {
    this.type = type;
    afterEach(async () => {
      await closeRunners();
      await Promise.all(this.opened.splice(0).map((one) => one.close()));
      this.made = null;
      this.secret = { value: '', hosts: null };
      this.allowedHosts = '127.0.0.1';
    });
  }

  async open<T extends { close(): Promise<void> }>(opening: Promise<T>): Promise<T> {
    const one = await opening;
    this.opened.push(one);
    return one;
  }

  runner() {
    this.made ??= makeRunner({ secrets: { CREDENTIALS: this.secret }, allowedHosts: this.allowedHosts });
    return this.made;
  }

  run(config: JsonObject, input: Json = {}, more: AttemptSample = {}): Promise<Outcome> {
    const whole = { credentials: '{{ secrets.CREDENTIALS }}', ...config };
    expect(validateConfig(this.type, whole)).toEqual([]);
    return settleAttempt(this.runner().runner.run(createAttempt(this.type, whole, { input, ...more })));
  }

  async result(config: JsonObject, input: Json = {}, more: AttemptSample = {}): Promise<Json> {
    const outcome = await this.run(config, input, more);
    if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome));
    return outcome.outputs['out'] ?? null;
  }

  async failure(config: JsonObject, input: Json = {}, more: AttemptSample = {}): Promise<NodeFailure> {
    const outcome = await this.run(config, input, more);
    if (outcome.kind !== 'failed') throw new Error(JSON.stringify(outcome));
    expect(this.runner().errors).toEqual([]);
    return outcome.error;
  }
}
