import type { GraphQLObjectType } from 'graphql';
import type { ExecutionRow } from '../../ports/store/execution-row.ts';
import type { WorkflowRow } from '../../ports/store/workflows.ts';
import type { ExecutionResult } from '../../services/executions/execution-view.ts';
import type { WorkflowView } from '../../services/workflows/workflow-reads.ts';
import type { RequestContext } from './request-context.ts';
import type { Fields } from './schema/object-types.ts';

/* What the resolvers of the two types that lead to each other are given, and how it is made. */

/** What the resolvers of a workflow get: its fields, its row, and the rest where that was loaded with it. */
export type WorkflowSource = { readonly row: WorkflowRow; readonly view: WorkflowView | null };

export type WorkflowType = {
  readonly fields: Fields;
  /** From a row alone: definition, issues and triggers are loaded when they are selected. */
  readonly ofRow: (row: WorkflowRow) => WorkflowSource;
  readonly ofView: (view: WorkflowView) => WorkflowSource;
};

/** What the resolvers of an execution get: its fields, its row, and its result where that was loaded with it. */
export type ExecutionSource = { readonly row: ExecutionRow; readonly result: ExecutionResult | null };

export type ExecutionType = {
  readonly type: GraphQLObjectType<unknown, RequestContext>;
  readonly fields: Fields;
  /** From a row alone: what is inside is loaded when it is selected. */
  readonly ofRow: (row: ExecutionRow) => ExecutionSource;
  readonly ofResult: (result: ExecutionResult) => ExecutionSource;
};
