/*
 * Names of the locks that transactions take. Within one transaction: workflows first, then other names, then
 * rows of executions.
 */

/** Shared to create an execution of the workflow, exclusive to change or delete it. */
export const workflowLock = (id: string): string => `workflow:${id}`;
/** The number of active executions of a workflow. */
export const concurrencyLock = (id: string): string => `room:${id}`;
/** The owner of a first segment of webhook endpoints. */
export const segmentLock = (segment: string): string => `segment:${segment}`;
/** The next time of a schedule. */
export const tickLock = (workflowId: string, nodeId: string): string => `tick:${workflowId}:${nodeId}`;
/** A resource whose number per owner is limited. */
export const ownerLock = (kind: string, ownerId: string): string => `${kind}:${ownerId}`;
export const userLock = (id: string): string => `user:${id}`;
/** The packs of the service. */
export const packsLock = 'packs';
/**
 * Pieces of deletion: one process at a time. The name must not change: processes of the previous version may
 * run at the same time.
 */
export const deletionLock = 'upkeep';
