import type { Case } from './cases/case.ts';
import { auditCases } from './cases/audit.ts';
import { modelUsageCases } from './cases/model-usage.ts';
import { connectionCases } from './cases/connections.ts';
import { credentialCases } from './cases/credentials.ts';
import { decisionCases } from './cases/decisions.ts';
import { threadCases } from './cases/threads.ts';
import { vectorCollectionCases } from './cases/vector-collections.ts';
import { executionCases } from './cases/executions.ts';
import { nodeCases } from './cases/nodes.ts';
import { peopleCases } from './cases/people.ts';
import { templateCases } from './cases/templates.ts';
import { workflowCases } from './cases/workflows.ts';
import { sharedCases } from './cases/shared.ts';

export const cases: readonly Case[] = [
  ...workflowCases,
  ...executionCases,
  ...decisionCases,
  ...threadCases,
  ...vectorCollectionCases,
  ...auditCases,
  ...modelUsageCases,
  ...nodeCases,
  ...templateCases,
  ...credentialCases,
  ...connectionCases,
  ...peopleCases,
  ...sharedCases,
];
