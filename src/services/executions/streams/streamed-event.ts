import type { NodeStreamEvent } from '../../../contract/ai/stream-events.ts';
import type { DecisionChoice } from '../../../contract/decisions/decisions.ts';
import type { ExecutionEnd } from '../../../engine/engine-api.ts';
import type { DecisionRow } from '../../../ports/store/decisions.ts';
import type { EntryReader } from './execution-follower.ts';
import type { TextEvent } from './streamed-texts.ts';

/** An event of the stream of an execution, with secrets redacted. `at` in epoch ms. */
export type StreamedEvent = { readonly id: string; readonly at: number } & (
  | {
      readonly node: { readonly id: string; readonly path: string };
      readonly event: NodeStreamEvent | TextEvent | ({ readonly type: 'approval' } & Approval);
    }
  | { readonly node: null; readonly event: { readonly type: 'done' } & ExecutionEnd }
);

/** A question that an execution asks people, as it is when the event is sent. */
export type Approval = Pick<DecisionRow, 'title' | 'status' | 'choice' | 'deadlineAt'> & {
  readonly decisionId: string;
  readonly message: string | null;
  readonly choices: readonly DecisionChoice[];
};

export type StreamReader = Pick<EntryReader<never>, 'ready' | 'isClosed' | 'onClose'> & {
  event(event: StreamedEvent): void;
};
