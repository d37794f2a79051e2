import type { PackAppStore, PackTriggerStore } from '../ports/store/pack-triggers.ts';
import { writeAudited } from './audited-change.ts';
import type { Driver } from './driver.ts';

export function createPackTriggerStore({ write, read }: Driver): PackTriggerStore {
  return {
    find: (address) => read('findPackTrigger', address),
    receive: (address, request, most) => write('receivePackRequest', address, request, most),
    firstRequest: (workflowId, nodeId) => read('firstPackRequest', workflowId, nodeId),
    register: (claim, fresh) => write('registerPackTrigger', claim, fresh),
    removeLater: (removal) => write('addPackRemoval', removal),
    dueRemovals: (now, limit) => read('duePackRemovals', now, limit),
    nextRemoval: () => read('nextPackRemoval'),
    claimRemoval: (address, due, until) => write('claimPackRemoval', address, due, until),
    endRemoval: (address, until, end) => write('endPackRemoval', address, until, end),
  };
}

export function createPackAppStore({ write, read }: Driver): PackAppStore {
  return {
    get: (pack) => read('getPackApp', pack),
    find: (address) => read('findPackApp', address),
    put: (app, event = null) => writeAudited(write, event, 'putPackApp', app),
    remove: (pack, event = null) => writeAudited(write, event, 'removePackApp', pack),
    receive: (to, request, most) => write('receiveAppRequest', to, request, most),
  };
}
