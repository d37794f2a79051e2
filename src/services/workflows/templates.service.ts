import { validate } from '../../contract/validate.ts';
import type { Definition } from '../../contract/definition.ts';
import {
  createConflictError,
  createNotFoundError,
  createValidationError,
  WeftError,
  type FieldError,
} from '../../contract/errors.ts';
import { toPage, toPagination, type Pagination } from '../../contract/paging.ts';
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
import type { AuditLog } from '../audit/audit-log.ts';
import type { Clock } from '../../ports/clock.ts';
import { limits } from '../../ports/limits.ts';
import type { NodeTypes } from '../../ports/node-types.ts';
import type { TemplateStore } from '../../ports/store/templates.ts';
import { requireScope } from '../authorize.ts';
import { mayUseSecrets, refuseSecretUse } from './secret-right.ts';
import {
  mapToParameterErrors,
  checkTemplateDefinition,
  checkTemplateCode,
  fillTemplate,
  readBody,
} from './template-definition.ts';
import { completeParameters, readValues } from './template-parameters.ts';

/** A template in a list. `createdAt` is null for a built-in template. */
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
  /** The built-in templates, as request bodies that would register them, in list order. */
  gallery: readonly unknown[];
  /** Returns the form errors of a definition; fields begin with `definition.`. */
  findFormErrors(ownerId: string, definition: Definition): Promise<readonly FieldError[]>;
  /** Returns the owner's resources that a definition references. */
  references(ownerId: string, definition: Definition): Promise<readonly Reference[]>;
  createWorkflow(principal: Principal, input: unknown): Promise<W>;
  /** The built-in node types: only they have code in their configuration. */
  nodeTypes: Pick<NodeTypes, 'get'>;
  audit: Pick<AuditLog, 'describe'>;
  clock: Pick<Clock, 'now'>;
};

export type Templates<W> = ReturnType<typeof createTemplates<W>>;

/**
 * Workflow templates: the caller's own and the built-in ones, which all users can read. A template of another
 * owner is NOT_FOUND, like a missing one. `W` is the result of creating a workflow.
 */
export function createTemplates<W>(deps: TemplatesDeps<W>) {
  const { templates, audit, clock } = deps;
  let gallery: Map<string, TemplateView> | null = null;

  /** Read on first use, to keep the start fast. */
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
    // The owner's template takes precedence, so a later release cannot change what an existing name means.
    const row = await templates.get(ownerId, name, version ?? null);
    if (row !== null) return { ...row, versions: await templates.versions(ownerId, name) };
    const builtin = builtins().get(name);
    if (builtin === undefined || (version !== undefined && version !== builtin.version)) {
      throw createNotFoundError(version === undefined ? 'template' : 'version of a template');
    }
    return builtin;
  }

  return {
    /** Lists the newest version of each template: the owner's by creation time, then the built-in ones. */
    async list(principal: Principal, input: unknown): Promise<TemplateList> {
      requireScope(principal, 'workflows:read');
      const query = validate(TemplateListQuerySchema, input);
      const page = toPage(query);
      const search = query.search === undefined || query.search === '' ? null : query.search;
      const own = await templates.list(principal.userId, search, page.offset, page.limit);
      const found = [...builtins().values()].filter((one) => search === null || matches(one, search));
      const start = Math.max(0, page.offset - own.total);
      const rest = found.slice(start, start + page.limit - own.rows.length);
      return { rows: [...own.rows, ...rest], pagination: toPagination(page, own.total + found.length) };
    },

    async get(principal: Principal, name: string, input: unknown): Promise<TemplateView> {
      requireScope(principal, 'workflows:read');
      const { version } = validate(TemplateQuerySchema, input);
      return load(principal.userId, name, version);
    },

    /** Registers one immutable version. @throws {WeftError} CONFLICT when the version exists. */
    async create(principal: Principal, input: unknown): Promise<TemplateView> {
      requireScope(principal, 'workflows:write');
      const given = validate(CreateTemplateSchema, input);
      const ownerId = principal.userId;
      const name = given.templateName;
      if (builtins().has(name)) {
        throw createConflictError(`The name ${name} belongs to a template that comes with Weft.`, {
          field: 'templateName',
        });
      }
      const { parameters, workflow } = await validateContent(ownerId, given);
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
      const result = await templates.create(
        row,
        limits.templates,
        audit.describe(principal, 'template.created', { id: name, name }, { version: row.version }),
      );
      if (result === 'exists') {
        throw createConflictError(
          `Version ${row.version} of ${name} is registered, and never changes; register a newer one.`,
          {
            field: 'version',
            version: row.version,
          },
        );
      }
      if (result === 'full') {
        throw createConflictError(`A user has at most ${limits.templates} versions of templates.`, {
          limit: limits.templates,
        });
      }
      return { ...row, versions: await templates.versions(ownerId, name) };
    },

    /** Deletes one version, or all. Workflows created from it are kept. */
    async remove(principal: Principal, name: string, input: unknown): Promise<void> {
      requireScope(principal, 'workflows:write');
      const { version } = validate(RemoveTemplateQuerySchema, input);
      const event = audit.describe(
        principal,
        'template.deleted',
        { id: name, name },
        { version: version ?? null },
      );
      if (await templates.remove(principal.userId, name, version ?? null, event)) return;
      if (builtins().has(name))
        throw createConflictError(`The template ${name} comes with Weft, and stays.`, { builtin: true });
      throw createNotFoundError(version === undefined ? 'template' : 'version of a template');
    },

    /**
     * Creates a workflow from a template.
     * @throws {WeftError} VALIDATION_ERROR at `parameters.NAME`, and all errors of creating a workflow.
     */
    async instantiate(principal: Principal, name: string, input: unknown): Promise<W> {
      requireScope(principal, 'workflows:write');
      // The response contains the content of the template.
      requireScope(principal, 'workflows:read');
      const given = validate(InstantiateSchema, input);
      const template = await load(principal.userId, name, given.version);
      const values = readValues(template.parameters, (given.parameters ?? {}) as JsonObject);
      const body = readBody(template.workflow);
      const workflow = fillTemplate(body, values, clock.now());
      const code = checkTemplateCode(workflow as JsonObject, body.uses, deps.nodeTypes);
      if (code.length > 0) throw createValidationError(code);
      try {
        return await deps.createWorkflow(principal, workflow);
      } catch (error) {
        throw mapToParameterErrors(error, body.uses);
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

  /**
   * @throws {WeftError} VALIDATION_ERROR with all errors that can be found without parameter values;
   * PAYLOAD_TOO_LARGE.
   */
  async function validateContent(
    ownerId: string,
    given: CreateTemplate,
  ): Promise<{ parameters: TemplateParameter[]; workflow: JsonObject }> {
    const { parameters, errors } = completeParameters(given.parameters ?? []);
    if (errors.length > 0) throw createValidationError(errors);
    const workflow = given.workflow as JsonObject;
    const bytes = Buffer.byteLength(JSON.stringify({ parameters, workflow }));
    if (bytes > limits.templateBytes) {
      throw new WeftError('PAYLOAD_TOO_LARGE', `A template is at most ${limits.templateBytes} bytes long.`, {
        limit: limits.templateBytes,
      });
    }
    const wrong = await checkTemplateDefinition(workflow, parameters, deps.nodeTypes, (definition) =>
      deps.findFormErrors(ownerId, definition),
    );
    if (wrong.length > 0) throw createValidationError(wrong);
    return { parameters, workflow };
  }
}

function matches(one: TemplateSummary, search: string): boolean {
  const wanted = search.toLowerCase();
  return one.name.toLowerCase().includes(wanted) || one.description.toLowerCase().includes(wanted);
}
