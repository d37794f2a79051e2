import {
  createNotFoundError,
  createValidationError,
  WeftError,
  type FieldError,
} from '../../contract/errors.ts';
import type { NodeFailure, NodeType } from '../../contract/node-type.ts';
import { listUsableTriggers, type NpmManifest } from '../../contract/packs/npm-packs.ts';
import type { PackChoices } from '../../contract/packs/pack-choices.ts';
import type { Principal } from '../../contract/principal.ts';
import { ListPackChoicesSchema, type ListPackChoices } from '../../contract/requests/pack.ts';
import { validate } from '../../contract/validate.ts';
import { onAbort } from '../../lib/async/abort.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { createChoicesNode, listChoiceFields, type ChoiceSource } from '../../nodes/npm/list-choices.ts';
import { validateConfig } from '../../nodes/validate-config.ts';
import type { Clock } from '../../ports/clock.ts';
import { limits } from '../../ports/limits.ts';
import type { NodeRunner } from '../../ports/runner.ts';
import { requireScope } from '../authorize.ts';
import type { JsonRedactor } from '../credentials/redaction.ts';
import { compileListConfig, createListAttempt } from '../list-attempt.ts';
import { mayUseSecrets } from '../workflows/secret-right.ts';
import { ChoiceLoads, createChoicesKey } from './choice-loads.ts';
import type { PackCatalog } from './pack-catalog.ts';
import type { PackChoicesView } from './pack-views.ts';

export type PackChoicesDeps = {
  catalog: Pick<PackCatalog, 'packs' | 'manifest'>;
  /** Runs a load with the secrets, egress policy and limits of a node. */
  runner: NodeRunner;
  clock: Pick<Clock, 'now'>;
  /** Returns the redactor for the owner's secrets. */
  loadRedactor: (ownerId: string) => Promise<JsonRedactor>;
};

export type PackChoiceLists = ReturnType<typeof createPackChoices>;

/** What packs load from their services for the fields of a form. */
export function createPackChoices({ catalog, runner, clock, loadRedactor }: PackChoicesDeps) {
  const loads = new ChoiceLoads(clock);

  /** @throws {WeftError} NOT_FOUND; VALIDATION_ERROR for a pack that loads nothing */
  async function find(name: string, wanted: string | undefined): Promise<NpmManifest> {
    const versions = (await catalog.packs()).filter((pack) => pack.name === name);
    const version = wanted ?? versions.at(-1)?.version;
    const manifest = version === undefined ? null : await catalog.manifest(name, version);
    if (manifest === null) throw createNotFoundError(versions.length > 0 ? 'version of a pack' : 'pack');
    if (manifest.kind !== 'npm') throw invalid('field', 'loads no choices: the pack is no package of npm');
    return manifest;
  }

  async function load(
    ownerId: string,
    type: NodeType,
    compiled: ReturnType<typeof compileListConfig>,
    field: string,
    signal: AbortSignal,
  ): Promise<PackChoicesView> {
    const outcome = await runner.run(
      createListAttempt(type, ownerId, compiled, clock.now(), {
        timeout: limits.packChoiceTimeMs,
        onAbort: (listener) => onAbort(signal, listener),
      }),
    );
    if (outcome.kind === 'failed') throw createValidationError([toFieldError(outcome.error, field)]);
    if (outcome.kind !== 'done') throw new WeftError('STORAGE_UNAVAILABLE');
    const redact = await loadRedactor(ownerId);
    const choices = redact(outcome.outputs['out'] as unknown as PackChoices);
    return { choices, loadedAt: clock.now() };
  }

  return {
    /**
     * Loads the choices of a field. The scope `secrets:use` is needed to use a secret or a connection.
     * Aborting `signal` cancels the load, unless another request waits for the same one.
     * @throws {WeftError} VALIDATION_ERROR with the field, also when the service does not list its choices.
     */
    async list(
      principal: Principal,
      name: string,
      input: unknown,
      signal: AbortSignal | null = null,
    ): Promise<PackChoicesView> {
      requireScope(principal, 'workflows:write');
      const given = validate(ListPackChoicesSchema, input);
      const { field, search = '', refresh = false } = given;
      const manifest = await find(name, given.version);
      const source = findSource(manifest, given);
      const loaded = listChoiceFields(source).find((one) => one.field === field);
      if (loaded?.property.refreshers === undefined)
        throw invalid('field', 'must be a field whose choices the pack loads');
      const type = createChoicesNode(manifest, source, loaded, search);
      const config = toConfig(given);
      if (source.item.security.length > 0 && given.authentication === undefined)
        throw invalid('authentication', 'is required');
      const errors = validateConfig(type, config);
      if (errors.length > 0) throw createValidationError(errors);
      const compiled = compileListConfig(type, config);
      if (compiled.errors.length > 0)
        throw createValidationError(
          compiled.errors.map(({ pointer, message }) => ({ field: pointer, issue: message })),
        );
      const credential = compiled.secretReads[0]?.pointer ?? type.connections?.(config)[0]?.field;
      if (credential !== undefined && !mayUseSecrets(principal))
        throw new WeftError(
          'FORBIDDEN',
          `This credential lacks the scope secrets:use, which is needed to use a secret or a connection.`,
          { scope: 'secrets:use', field: credential },
        );
      const { userId: ownerId } = principal;
      const { version, package: stated } = manifest;
      const key = createChoicesKey([
        ownerId,
        [name, version, stated.integrity],
        [source.of, source.item.id, field],
        config,
        search,
      ]);
      return loads.get({ ownerId, key, refresh }, signal, (ending) =>
        load(ownerId, type, compiled, field, ending),
      );
    },
  };
}

function invalid(field: string, issue: string): WeftError {
  return createValidationError([{ field, issue }]);
}

function findSource(manifest: NpmManifest, { operation, event }: ListPackChoices): ChoiceSource {
  if (operation !== undefined && event !== undefined)
    throw invalid('event', 'is not allowed together with operation');
  if (event !== undefined) {
    const item = listUsableTriggers(manifest).find(({ id }) => id === event);
    if (item === undefined)
      throw invalid('event', 'must be a trigger of this version that can start workflows');
    return { of: 'trigger', item };
  }
  if (operation === undefined) throw invalid('operation', 'is required');
  const item = manifest.operations.find(({ id }) => id === operation);
  if (item === undefined) throw invalid('operation', 'must be an operation of this version');
  return { of: 'action', item };
}

function toConfig({ authentication, values = {} }: ListPackChoices): JsonObject {
  return {
    ...(authentication === undefined ? {} : { authentication: authentication as JsonObject }),
    values: values as JsonObject,
  };
}

/** A failure without a field is one of the load, which is named by the field that is loaded. */
function toFieldError({ type, message, data }: NodeFailure, loaded: string): FieldError {
  const { field, issue, body } = isObject(data ?? null) ? (data as JsonObject) : {};
  if (typeof field === 'string' && field !== '' && typeof issue === 'string') return { field, issue };
  const reason =
    type === 'timeout'
      ? `the service did not respond within ${limits.packChoiceTimeMs} ms`
      : (readServiceMessage(body ?? null) ?? message);
  return { field: 'field', issue: `${loaded} could not be loaded: ${reason}` };
}

/** What the service states in the body of an error, in the places that are usual. */
function readServiceMessage(body: Json): string | null {
  if (typeof body === 'string') return body.trim() === '' || body.length > 500 ? null : body;
  if (!isObject(body)) return null;
  for (const name of ['message', 'error_description', 'error', 'detail', 'title']) {
    const value = body[name] ?? null;
    const text = typeof value === 'string' ? value : readServiceMessage(value);
    if (text !== null && text !== '') return text.slice(0, 500);
  }
  return null;
}
