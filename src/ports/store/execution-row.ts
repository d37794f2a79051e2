import type { ExecutionStatus, ExecutionTrigger, NodeError } from '../../contract/execution.ts';

export type ExecutionRow = {
  id: string;
  ownerId: string;
  workflowId: string;
  workflowVersion: number;
  status: ExecutionStatus;
  trigger: ExecutionTrigger;
  error: NodeError | null;
  progress: number;
  currentNode: string | null;
  createdAt: number;
  startTime: number | null;
  endTime: number | null;
  parentId: string | null;
  retryOf: string | null;
};
