import type {
  TemplateList,
  TemplateSummary,
  TemplateView,
} from '../../services/workflows/templates.service.ts';
import { formatIsoTimeOrNull } from '../../lib/time/iso-time.ts';

/** A template in a list. */
function presentTemplateSummary(template: TemplateSummary) {
  return {
    templateName: template.name,
    version: template.version,
    description: template.description,
    parameters: template.parameters,
    builtin: template.createdAt === null,
    created_at: formatIsoTimeOrNull(template.createdAt),
  };
}

export function presentTemplates({ rows, pagination }: TemplateList) {
  return { templates: rows.map(presentTemplateSummary), pagination };
}

/** A complete template; `workflow` is user data and passed unchanged. */
export function presentTemplate(template: TemplateView) {
  return {
    ...presentTemplateSummary(template),
    workflow: template.workflow,
    versions: template.versions,
  };
}
