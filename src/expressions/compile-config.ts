import { deferred, type DeferredTemplate, type TemplateMode } from '../contract/node-type.ts';
import type { SecretRead } from '../contract/secret-fields.ts';
import { appendKey } from '../lib/json/json-path.ts';
import type { Json } from '../lib/json/json.ts';
import { TemplateError, TemplateEvaluationError } from './errors.ts';
import { compileMarkdownTemplate } from './markdown.ts';
import type { TemplateScope } from './scope.ts';
import type { Template } from './template.ts';
import { compileTemplate } from './template.ts';
import { compileUrlTemplate } from './url.ts';

/** The error of a template that cannot be compiled, with its field, such as `operations[0].transform`. */
export interface ConfigIssue {
  readonly pointer: string;
  readonly message: string;
}

/** A node's configuration with its templates compiled. */
export interface CompiledConfig {
  /** `evaluate` must not be called when there are errors. */
  readonly errors: readonly ConfigIssue[];
  /** Secrets that its templates read. `pointer` is as in ConfigIssue. */
  readonly secretReads: readonly SecretRead[];
  readonly nodeUses: readonly { pointer: string; id: string }[];
  /** True when no value of it depends on the scope, so that `evaluate` always gives the same frozen value. */
  readonly isConstant: boolean;
  /**
   * The configuration with a value for each template, and a DeferredTemplate for each deferred text
   * (`evaluateDeferred`). Only what holds a template is made anew; the rest is frozen and shared by all
   * evaluations.
   * @throws {TemplateEvaluationError} with the field of the template that failed.
   */
  readonly evaluate: (scope: TemplateScope) => unknown;
}

export interface CompileConfigOptions {
  /**
   * Called for each field, outer ones first; the result applies to everything in the field: passed as it is,
   * or evaluated by the node, once for each value. `pointer` is as in ConfigIssue.
   */
  readonly skip?: (pointer: string) => TemplateMode | undefined;
}

type Container = { [key: string]: unknown } | unknown[];

/** A position in a container that an evaluation fills. */
interface Slot {
  /** Position of the container among those that an evaluation copies. */
  readonly container: number;
  readonly key: string | number;
  readonly pointer: string;
  readonly template: Template;
}

/** A container with slots, directly or in nested containers. It follows its parent in the list. */
interface Copied {
  readonly source: Container;
  readonly parent: number;
  readonly key: string | number;
}

/**
 * A container on the way down. `visited` becomes its position among the copied ones once something in it
 * needs that.
 */
interface Visit {
  readonly source: Json[] | { [key: string]: Json };
  readonly made: Container;
  readonly parent: Visit | undefined;
  readonly key: string | number;
  readonly pointer: string;
  readonly mode: TemplateMode | undefined;
  position: number;
}

/**
 * Compiles all templates of a configuration. Never throws: errors are in `errors`. Object keys are never
 * templates.
 */
export function compileConfig(config: Json, options: CompileConfigOptions = {}): CompiledConfig {
  const compiler = new ConfigCompiler(options);
  const root = compiler.compile(config);
  const { templates, slots, copied, errors } = compiler;
  const secretReads = templates.flatMap(({ template, pointer }) =>
    template.secretNames.map((name) => ({ pointer, name, isWhole: template.isPath })),
  );
  return {
    errors,
    secretReads,
    nodeUses: templates.flatMap(({ template, pointer }) => template.nodeIds.map((id) => ({ pointer, id }))),
    isConstant: slots.length === 0,
    evaluate: slots.length === 0 ? () => root[0] : (scope) => fill(copied, slots, scope)[0],
  };
}

/**
 * Evaluates a deferred text of a compiled configuration. @throws {TemplateEvaluationError} with its field.
 */
export function evaluateDeferred(text: DeferredTemplate, scope: TemplateScope): Json {
  return evaluateAt(text as DeferredText, scope);
}

/** Holds a template and its field, but no scope, so that all evaluations share one instance. */
class DeferredText implements DeferredTemplate {
  readonly [deferred] = true;
  readonly template: Template;
  readonly pointer: string;

  constructor(template: Template, pointer: string) {
    this.template = template;
    this.pointer = pointer;
  }
}

class ConfigCompiler {
  /** The templates of slots, and the deferred ones. */
  readonly templates: { template: Template; pointer: string }[] = [];
  readonly slots: Slot[] = [];
  readonly copied: Copied[] = [];
  readonly errors: ConfigIssue[] = [];
  readonly #options: CompileConfigOptions;

  constructor(options: CompileConfigOptions) {
    this.#options = options;
  }

  /**
   * The configuration in a list of one, frozen except for the parts that an evaluation copies; it is walked
   * by a worklist, so depth costs no stack.
   */
  compile(config: Json): readonly unknown[] {
    const root: Visit = {
      source: [config],
      made: [],
      parent: undefined,
      key: 0,
      pointer: '',
      mode: undefined,
      position: -1,
    };
    const work = [root];
    const done: Visit[] = [];
    for (let visit = work.pop(); visit !== undefined; visit = work.pop()) {
      done.push(visit);
      for (const [key, value] of listEntries(visit.source)) this.#enter(visit, key, value, work);
    }
    // Copied containers are not exposed, and V8 copies unfrozen objects three times as fast.
    for (const { position, made } of done) if (position < 0) Object.freeze(made);
    return root.made as unknown[];
  }

  #enter(visit: Visit, key: string | number, value: Json, work: Visit[]): void {
    const pointer = visit.parent === undefined ? '' : appendKey(visit.pointer, key);
    if (key === '__proto__') {
      this.errors.push({ pointer, message: '__proto__ cannot be a key' });
      return;
    }
    const mode = visit.mode ?? (pointer === '' ? undefined : this.#options.skip?.(pointer));
    put(visit.made, key, value);
    if (typeof value === 'string') this.#text({ ...visit, mode, pointer }, visit, key, value);
    else if (typeof value === 'object' && value !== null) {
      const made: Container = Array.isArray(value) ? [] : {};
      put(visit.made, key, made);
      work.push({ source: value, made, parent: visit, key, pointer, mode, position: -1 });
    }
  }

  #text(
    field: { mode: TemplateMode | undefined; pointer: string },
    visit: Visit,
    key: string | number,
    text: string,
  ): void {
    const { mode, pointer } = field;
    if (mode === 'literal' || (mode !== 'deferred' && !text.includes('{{'))) return;
    try {
      const template = compileIn(mode, text);
      this.templates.push({ template, pointer });
      if (mode === 'deferred') put(visit.made, key, new DeferredText(template, pointer));
      else this.slots.push({ container: this.#position(visit), key, pointer, template });
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      this.errors.push({ pointer, message: error.message });
    }
  }

  /** The position of a container among the copied ones. Its ancestors get theirs first. */
  #position(visit: Visit): number {
    const ancestors: Visit[] = [];
    for (let next: Visit | undefined = visit; next !== undefined && next.position < 0; next = next.parent)
      ancestors.push(next);
    for (const next of ancestors.toReversed()) {
      next.position = this.copied.length;
      this.copied.push({ source: next.made, parent: next.parent?.position ?? -1, key: next.key });
    }
    return visit.position;
  }
}

function compileIn(mode: TemplateMode | undefined, text: string): Template {
  if (mode === 'url') return compileUrlTemplate(text);
  return mode === 'markdown' ? compileMarkdownTemplate(text) : compileTemplate(text);
}

/** Copies the containers that hold templates, and fills in the results. */
function fill(copied: readonly Copied[], slots: readonly Slot[], scope: TemplateScope): unknown[] {
  const copies: Container[] = [];
  for (const { source, parent, key } of copied) {
    const copy = Array.isArray(source) ? source.slice() : copyObject(source);
    copies.push(copy);
    const container = copies[parent];
    if (container !== undefined) put(container, key, copy);
  }
  for (const slot of slots) put(copies[slot.container] as Container, slot.key, evaluateAt(slot, scope));
  return copies[0] as unknown[];
}

/** A loop over known keys is faster than a spread. `source` has no key `__proto__`. */
function copyObject(source: { [key: string]: unknown }): Container {
  const copy: { [key: string]: unknown } = {};
  for (const key in source) copy[key] = source[key];
  return copy;
}

function evaluateAt({ template, pointer }: Pick<Slot, 'template' | 'pointer'>, scope: TemplateScope): Json {
  try {
    return template.evaluate(scope);
  } catch (error) {
    throw error instanceof TemplateEvaluationError ? error.at(pointer) : error;
  }
}

function put(container: Container, key: string | number, value: unknown): void {
  (container as { [key: string | number]: unknown })[key] = value;
}

function listEntries(source: Json[] | { [key: string]: Json }): Iterable<readonly [string | number, Json]> {
  return Array.isArray(source) ? source.entries() : Object.entries(source);
}
