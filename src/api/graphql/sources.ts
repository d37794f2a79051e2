import type { GraphQLObjectType } from 'graphql';
import type { ExecutionRow } from '../../ports/store/execution-row.ts';
import type { WorkflowRow } from '../../ports/store/workflows.ts';
import type { ExecutionResult } from '../../services/executions/execution-view.ts';
import type { WorkflowView } from '../../services/workflows/workflow-reads.ts';
import type { RequestContext } from './request-context.ts';
import type { Fields } from './schema/object-types.ts';

// The sources of the resolvers of workflows and executions, which refer to each other.

/** The source of a workflow: its row, and its view if loaded. */
export type WorkflowSource = { readonly row: WorkflowRow; readonly view: WorkflowView | null };

export type WorkflowType = {
  readonly fields: Fields;
  /** Creates a source from a row: definition, issues and triggers are loaded when selected. */
  readonly ofRow: (row: WorkflowRow) => WorkflowSource;
  readonly ofView: (view: WorkflowView) => WorkflowSource;
};

/** The source of an execution: its row, and its result if loaded. */
export type ExecutionSource = { readonly row: ExecutionRow; readonly result: ExecutionResult | null };

export type ExecutionType = {
  readonly type: GraphQLObjectType<unknown, RequestContext>;
  readonly fields: Fields;
  /** Creates a source from a row: details are loaded when selected. */
  readonly ofRow: (row: ExecutionRow) => ExecutionSource;
  readonly ofResult: (result: ExecutionResult) => ExecutionSource;
};
