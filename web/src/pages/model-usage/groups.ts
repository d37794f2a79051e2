export const GROUPS = ['day', 'workflow', 'model', 'user'] as const;
export type Group = (typeof GROUPS)[number];
