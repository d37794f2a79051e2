import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ValidationError } from 'weft-client';
import { client } from '../../data/client.ts';
import { hasTemplate, isUnfinished, localValue } from '../model/local-value.ts';
import { useForm } from './form-context.ts';

/** ms of rest before the service is asked: a word that is being typed is no question. */
const REST = 700;

export type Preview =
  | { readonly kind: 'none' }
  | { readonly kind: 'asking' }
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'fault'; readonly text: string };

const none: Preview = { kind: 'none' };

/** What a text with templates gives with the data of the run that is shown. The service is asked only while it is worked on. */
export function usePreview(text: string, isActive: boolean): Preview {
  const { scope, executionId, nodeId } = useForm();
  const rested = useRested(text);
  const isAsked = hasTemplate(text) && !isUnfinished(text) && executionId !== null;
  const local = isAsked ? localValue(text, scope) : null;
  const query = useQuery({
    queryKey: ['evaluate', executionId, nodeId, rested],
    enabled: isAsked && local === null && isActive && rested === text,
    queryFn: ({ signal }) =>
      client.evaluate.evaluate(
        {
          template: rested,
          execution_id: executionId ?? '',
          ...(scope.input === undefined ? {} : { input: scope.input }),
          nodes: Object.fromEntries([...scope.nodes].filter(([, output]) => output !== undefined)),
          ...(scope.loop === null ? {} : { item: scope.loop.item, index: scope.loop.index }),
        },
        { signal },
      ),
    staleTime: Infinity,
    retry: false,
  });
  if (!isAsked) return none;
  if (local !== null)
    return 'value' in local ? { kind: 'value', value: local.value } : { kind: 'fault', text: local.fault };
  if (rested !== text) return isActive ? { kind: 'asking' } : none;
  if (query.isSuccess) return { kind: 'value', value: query.data.value };
  if (query.error instanceof ValidationError)
    return { kind: 'fault', text: query.error.errors[0]?.issue ?? query.error.message };
  return query.isFetching ? { kind: 'asking' } : none;
}

/** The text, once it has been the same for a while. */
function useRested(text: string): string {
  const [rested, setRested] = useState(text);
  useEffect(() => {
    if (text === rested) return;
    const timer = setTimeout(() => setRested(text), REST);
    return () => clearTimeout(timer);
  }, [text, rested]);
  return rested;
}
