import { validate } from '../../contract/validate.ts';
import type { Definition } from '../../contract/definition.ts';
import { conflict, notFound, validationError, WeftError, type FieldError } from '../../contract/errors.ts';
import { pageOf, paginationOf, type Pagination } from '../../contract/paging.ts';
import type { Principal } from '../../contract/principal.ts';
import {
  CreateTemplateSchema,
  InstantiateSchema,
  RemoveTemplateQuerySchema,
  TemplateListQuerySchema,
  TemplateQuerySchema,
  type CreateTemplate,
  type TemplateParameter,
} from '../../contract/requests/template.ts';
import type { Reference } from '../../engine/graph/definition-check.ts';
import { isObject, type JsonObject } from '../../lib/json/json.ts';
import type { Clock } from '../../ports/clock.ts';
import { limits } from '../../ports/limits.ts';
import type { NodeTypes } from '../../ports/node-types.ts';
import type { TemplateStore } from '../../ports/store/templates.ts';
import { requireScope } from '../authorize.ts';
import { mayUseSecrets, refuseSecretUse } from './secret-right.ts';
import {
  blameParameters,
  checkTemplateDefinition,
  checkTemplateCode,
  fillTemplate,
  readBody,
} from './template-definition.ts';
import { completeParameters, readValues } from './template-parameters.ts';

/** A template as it is listed. `createdAt` null: it comes with Weft. */
export type TemplateSummary = {
  name: string;
  version: string;
  description: string;
  parameters: TemplateParameter[];
  createdAt: number | null;
};
export type TemplateView = TemplateSummary & { workflow: JsonObject; versions: string[] };
export type TemplateList = { rows: TemplateSummary[]; pagination: Pagination };

export type TemplatesDeps<W> = {
  templates: TemplateStore;
  /** What comes with Weft: bodies of requests that would register them, in the order of lists. */
  gallery: readonly unknown[];
  /** Faults of form of a definition; fields begin with `definition.`. */
  formFaults(ownerId: string, definition: Definition): Promise<readonly FieldError[]>;
  /** What a definition names of its owner's. */
  references(ownerId: string, definition: Definition): Promise<readonly Reference[]>;
  createWorkflow(principal: Principal, input: unknown): Promise<W>;
  /** Those that come with Weft: no other has code in its configuration. */
  nodeTypes: Pick<NodeTypes, 'get'>;
  clock: Pick<Clock, 'now'>;
};

export type Templates<W> = ReturnType<typeof createTemplates<W>>;

/**
 * Workflow templates: those of their owner, and those that come with Weft, which everyone sees. Another owner's template is
 * NOT_FOUND like a missing one. `W` is what the creation of a workflow answers.
 */
export function createTemplates<W>(deps: TemplatesDeps<W>) {
  const { templates, clock } = deps;
  let gallery: Map<string, TemplateView> | null = null;

  /** Read when it is first asked for: a start does not pay for it. */
  function builtins(): Map<string, TemplateView> {
    gallery ??= new Map(
      deps.gallery.map((given) => {
        const one = validate(CreateTemplateSchema, given);
        const version = one.version ?? '1.0.0';
        const view: TemplateView = {
          name: one.templateName,
          version,
          description: one.description ?? '',
          parameters: completeParameters(one.parameters ?? []).parameters,
          workflow: one.workflow as JsonObject,
          versions: [version],
          createdAt: null,
        };
        return [view.name, view];
      }),
    );
    return gallery;
  }

  /** @throws {WeftError} NOT_FOUND */
  async function load(ownerId: string, name: string, version: string | undefined): Promise<TemplateView> {
    // The own one first: a name that a later release brings as well goes on to mean what it meant.
    const row = await templates.get(ownerId, name, version ?? null);
    if (row !== null) return { ...row, versions: await templates.versions(ownerId, name) };
    const builtin = builtins().get(name);
    if (builtin === undefined || (version !== undefined && version !== builtin.version)) {
      throw notFound(version === undefined ? 'template' : 'version of a template');
    }
    return builtin;
  }

  return {
    /** The newest version of each template: the own ones by time, then those that come with Weft. */
    async list(principal: Principal, input: unknown): Promise<TemplateList> {
      requireScope(principal, 'workflows:read');
      const query = validate(TemplateListQuerySchema, input);
      const page = pageOf(query);
      const search = query.search === undefined || query.search === '' ? null : query.search;
      const own = await templates.list(principal.userId, search, page.offset, page.limit);
      const found = [...builtins().values()].filter((one) => search === null || matches(one, search));
      const start = Math.max(0, page.offset - own.total);
      const rest = found.slice(start, start + page.limit - own.rows.length);
      return { rows: [...own.rows, ...rest], pagination: paginationOf(page, own.total + found.length) };
    },

    async get(principal: Principal, name: string, input: unknown): Promise<TemplateView> {
      requireScope(principal, 'workflows:read');
      const { version } = validate(TemplateQuerySchema, input);
      return load(principal.userId, name, version);
    },

    /** Registers one version, which never changes. @throws {WeftError} CONFLICT when it is there already. */
    async create(principal: Principal, input: unknown): Promise<TemplateView> {
      requireScope(principal, 'workflows:write');
      const given = validate(CreateTemplateSchema, input);
      const ownerId = principal.userId;
      const name = given.templateName;
      if (builtins().has(name)) {
        throw conflict(`The name ${name} belongs to a template that comes with Weft.`, {
          field: 'templateName',
        });
      }
      const { parameters, workflow } = await wellFormed(ownerId, given);
      if (!mayUseSecrets(principal)) await refuseSecrets(ownerId, workflow);
      const row = {
        ownerId,
        name,
        version: given.version ?? '1.0.0',
        description: given.description ?? '',
        parameters,
        workflow,
        createdAt: clock.now(),
      };
      const result = await templates.create(row, limits.templates);
      if (result === 'exists') {
        throw conflict(
          `Version ${row.version} of ${name} is registered, and never changes; register a newer one.`,
          {
            field: 'version',
            version: row.version,
          },
        );
      }
      if (result === 'full') {
        throw conflict(`A user has at most ${limits.templates} versions of templates.`, {
          limit: limits.templates,
        });
      }
      return { ...row, versions: await templates.versions(ownerId, name) };
    },

    /** Deletes one version, or all. Workflows that came of it stay. */
    async remove(principal: Principal, name: string, input: unknown): Promise<void> {
      requireScope(principal, 'workflows:write');
      const { version } = validate(RemoveTemplateQuerySchema, input);
      if (await templates.remove(principal.userId, name, version ?? null)) return;
      if (builtins().has(name))
        throw conflict(`The template ${name} comes with Weft, and stays.`, { builtin: true });
      throw notFound(version === undefined ? 'template' : 'version of a template');
    },

    /**
     * Creates a workflow of a template.
     * @throws {WeftError} VALIDATION_ERROR at `parameters.NAME`; what the creation of a workflow throws.
     */
    async instantiate(principal: Principal, name: string, input: unknown): Promise<W> {
      requireScope(principal, 'workflows:write');
      // The answer shows what the template holds.
      requireScope(principal, 'workflows:read');
      const given = validate(InstantiateSchema, input);
      const template = await load(principal.userId, name, given.version);
      const values = readValues(template.parameters, (given.parameters ?? {}) as JsonObject);
      const body = readBody(template.workflow);
      const workflow = fillTemplate(body, values, clock.now());
      const code = checkTemplateCode(workflow as JsonObject, body.uses, deps.nodeTypes);
      if (code.length > 0) throw validationError(code);
      try {
        return await deps.createWorkflow(principal, workflow);
      } catch (error) {
        throw blameParameters(error, body.uses);
      }
    },
  };

  /** @throws {WeftError} FORBIDDEN when a node of the template uses a secret or a connection. */
  async function refuseSecrets(ownerId: string, { definition }: JsonObject): Promise<void> {
    if (!isObject(definition)) return;
    const [use] = (await deps.references(ownerId, definition as unknown as Definition)).filter(
      ({ kind }) => kind !== 'workflow',
    );
    if (use !== undefined) refuseSecretUse(use);
  }

  /** @throws {WeftError} VALIDATION_ERROR with all faults that can be told without values; PAYLOAD_TOO_LARGE. */
  async function wellFormed(
    ownerId: string,
    given: CreateTemplate,
  ): Promise<{ parameters: TemplateParameter[]; workflow: JsonObject }> {
    const { parameters, faults } = completeParameters(given.parameters ?? []);
    if (faults.length > 0) throw validationError(faults);
    const workflow = given.workflow as JsonObject;
    const bytes = Buffer.byteLength(JSON.stringify({ parameters, workflow }));
    if (bytes > limits.templateBytes) {
      throw new WeftError('PAYLOAD_TOO_LARGE', `A template is at most ${limits.templateBytes} bytes long.`, {
        limit: limits.templateBytes,
      });
    }
    const wrong = await checkTemplateDefinition(workflow, parameters, deps.nodeTypes, (definition) =>
      deps.formFaults(ownerId, definition),
    );
    if (wrong.length > 0) throw validationError(wrong);
    return { parameters, workflow };
  }
}

function matches(one: TemplateSummary, search: string): boolean {
  const wanted = search.toLowerCase();
  return one.name.toLowerCase().includes(wanted) || one.description.toLowerCase().includes(wanted);
}
