import { useMutation, type QueryKey, type UseMutationResult } from '@tanstack/react-query';
import { toast } from '../ui/overlays/toast.tsx';
import { toErrorText } from './error-text.ts';
import { queryClient } from './query-client.ts';

/**
 * A mutation that invalidates the queries it affects. Errors are shown in a toast titled `failed`; without
 * `failed`, the caller shows them.
 */
export function useMutationWithToast<I, O>(
  run: (input: I) => Promise<O>,
  {
    changes,
    failed,
    onDone,
    onFailed,
  }: {
    changes: readonly QueryKey[];
    failed?: string | undefined;
    onDone?: ((output: O, input: I) => void) | undefined;
    onFailed?: ((error: Error) => void) | undefined;
  },
): UseMutationResult<O, Error, I> {
  return useMutation({
    mutationFn: run,
    onSuccess: (output, input) => {
      for (const queryKey of changes) void queryClient.invalidateQueries({ queryKey });
      onDone?.(output, input);
    },
    onError: (error) => {
      onFailed?.(error);
      if (failed !== undefined) toast({ tone: 'bad', title: failed, text: toErrorText(error) });
    },
  });
}
