import type { Json } from '../../lib/json/json.ts';

/** An example body. The tests validate each against its schema and send some to a running service. */
export type BodyExample = { readonly title: string; readonly value: Json };
