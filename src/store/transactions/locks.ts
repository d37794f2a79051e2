/* What procedures lock, by name. Within one transaction: workflows first, then the rest, then rows of executions. */

/** Shared by whoever creates an execution of it, exclusive for whoever changes or deletes it. */
export const workflowLock = (id: string): string => `workflow:${id}`;
/** How many executions of a workflow are at work. */
export const roomLock = (id: string): string => `room:${id}`;
/** Which user a first segment of webhook endpoints belongs to. */
export const segmentLock = (segment: string): string => `segment:${segment}`;
/** The next time of a schedule. */
export const tickLock = (workflowId: string, nodeId: string): string => `tick:${workflowId}:${nodeId}`;
/** What an owner may only have so many of. */
export const ownerLock = (kind: string, ownerId: string): string => `${kind}:${ownerId}`;
export const userLock = (id: string): string => `user:${id}`;
/** Pieces of deletion: one process at a time. */
export const upkeepLock = 'upkeep';
