import type { TemplateParameter } from '../../contract/requests/template.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import type { AuditedChange } from './audit.ts';

/** One version of a workflow template. `workflow` is the body of a create request, with its placeholders. */
export type TemplateRow = {
  ownerId: string;
  name: string;
  /** major.minor.patch without leading zeros; the greatest is the newest. */
  version: string;
  description: string;
  parameters: TemplateParameter[];
  workflow: JsonObject;
  createdAt: number;
};

export type TemplateSummaryRow = Omit<TemplateRow, 'workflow'>;

export type TemplateStore = {
  /** `exists`: this version exists and is not changed. `full`: the owner has `most` versions of templates. */
  create(template: TemplateRow, most: number, event?: AuditedChange): Promise<'created' | 'exists' | 'full'>;
  /**
   * The newest version of each name, most recently registered first; `search` works as in lists of workflows.
   */
  list(
    ownerId: string,
    search: string | null,
    offset: number,
    limit: number,
  ): Promise<{ rows: TemplateSummaryRow[]; total: number }>;
  /** `version` null: the newest. */
  get(ownerId: string, name: string, version: string | null): Promise<TemplateRow | null>;
  /** Newest first; empty when the template does not exist. */
  versions(ownerId: string, name: string): Promise<string[]>;
  /** `version` null: all versions. False: not found. */
  remove(ownerId: string, name: string, version: string | null, event?: AuditedChange): Promise<boolean>;
};
