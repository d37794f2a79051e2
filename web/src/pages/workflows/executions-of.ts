/** The page with the executions of one workflow. */
export function executionsOf(workflowId: string): string {
  return `/executions?workflow=${encodeURIComponent(workflowId)}`;
}
