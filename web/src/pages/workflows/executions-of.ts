/** The page with the executions of one workflow. */
export function formatExecutionsPath(workflowId: string): string {
  return `/executions?workflow=${encodeURIComponent(workflowId)}`;
}
