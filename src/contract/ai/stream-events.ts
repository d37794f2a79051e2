import type { Json } from '../../lib/json/json.ts';
import type { ModelUsage } from './models.ts';

/** Events of nodes for callers that follow an execution. Derived from the journal, not stored. */
export type NodeStreamEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | {
      readonly type: 'usage';
      readonly model: string;
      readonly finish_reason: string;
      readonly usage: ModelUsage;
      /** In US dollars; null if the operator set no price. */
      readonly cost: number | null;
    }
  | { readonly type: 'tool_start'; readonly call_id: string; readonly tool: string; readonly arguments: Json }
  | {
      readonly type: 'tool_end';
      readonly call_id: string;
      readonly tool: string;
      readonly result: Json;
      /** The call failed, was refused, or did not fit. */
      readonly is_error: boolean;
    };
