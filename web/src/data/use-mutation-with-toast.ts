import { useMutation, type QueryKey, type UseMutationResult } from '@tanstack/react-query';
import { toast } from '../ui/toast.tsx';
import { toErrorText } from './error-text.ts';
import { queryClient } from './query-client.ts';

/**
 * Something that changes the service: what it changes is read again. A fault becomes a toast with `failed` as its title; without
 * `failed` whoever asked shows it, as forms do.
 */
export function useMutationWithToast<I, O>(
  run: (input: I) => Promise<O>,
  {
    changes,
    failed,
    onDone,
  }: {
    changes: readonly QueryKey[];
    failed?: string | undefined;
    onDone?: ((output: O, input: I) => void) | undefined;
  },
): UseMutationResult<O, Error, I> {
  return useMutation({
    mutationFn: run,
    onSuccess: (output, input) => {
      for (const queryKey of changes) void queryClient.invalidateQueries({ queryKey });
      onDone?.(output, input);
    },
    onError: (error) => {
      if (failed !== undefined) toast({ tone: 'bad', title: failed, text: toErrorText(error) });
    },
  });
}
