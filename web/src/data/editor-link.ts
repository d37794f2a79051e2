/** The link to a field of a node in the editor; `field` is as in `config.url`. */
export function formatFieldHref(workflowId: string, nodeId: string, field: string): string {
  return `/workflows/${workflowId}?${new URLSearchParams({ node: nodeId, field }).toString()}`;
}
