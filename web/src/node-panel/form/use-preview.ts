import { useQueries, type UseQueryResult } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ValidationError, type Evaluated } from 'weft-client';
import { client } from '../../data/client.ts';
import { isUnfinished, previewLocally, type PreviewResult } from '../model/local-preview.ts';
import { referencesExample, referencesUnknownItem, type TemplateScope } from '../model/template-scope.ts';
import { collectTemplates, replaceTemplates } from '../model/templated-value.ts';
import { useForm } from './form-context.ts';

/** The debounce before the service evaluates a template, in ms. */
const TYPING_PAUSE_MS = 700;
/** Templates of one value that are evaluated; a value with more has no preview. */
const MAX_TEMPLATES = 20;

export type Preview =
  | { readonly kind: 'none' }
  | { readonly kind: 'asking' }
  | { readonly kind: 'value'; readonly value: unknown; readonly isExample: boolean }
  | { readonly kind: 'error'; readonly text: string };

const none: Preview = { kind: 'none' };
const asking: Preview = { kind: 'asking' };

/**
 * The result of a template, or of a JSON value with templates, for the data of the input pane. The service
 * evaluates what the page cannot, only while the field is edited.
 */
export function usePreview(value: unknown, isActive: boolean): Preview {
  const { scope, executionId, dataKey, nodeId } = useForm();
  const templates = collectTemplates(value);
  const isExample = templates.some((text) => referencesExample(text, scope));
  // A run that starts replaces the data by examples until its own data arrives.
  const key = [isExample, ...templates].join('\u0000');
  const rested = useRested(key);
  const knownNodes = [...scope.nodes].filter(([, output]) => output !== undefined).map(([id]) => id);
  const canPreview =
    (executionId !== null || scope.input !== undefined || knownNodes.length > 0) &&
    templates.length > 0 &&
    templates.length <= MAX_TEMPLATES &&
    !templates.some((text) => isUnfinished(text) || referencesUnknownItem(text, scope));
  const isRested = rested === key;
  const local = new Map(canPreview ? templates.map((text) => [text, previewLocally(text, scope)]) : []);
  const remote = [...local].filter(([, given]) => given === null).map(([text]) => text);
  const queries = useQueries({
    queries: remote.map((text) => ({
      queryKey: ['evaluate', executionId, nodeId, dataKey, knownNodes, scope.input, scope.loop, text],
      enabled: isActive && isRested,
      queryFn: ({ signal }: { signal: AbortSignal }) => evaluate(text, executionId, scope, signal),
      staleTime: Infinity,
      retry: false,
    })),
  });
  if (!canPreview) return none;
  const results = new Map<string, unknown>();
  for (const text of templates) {
    const index = remote.indexOf(text);
    const preview = index < 0 ? ofLocal(local.get(text)!) : ofQuery(queries[index]!, isActive, isRested);
    if (preview.kind !== 'value') return preview;
    results.set(text, preview.value);
  }
  return {
    kind: 'value',
    value: replaceTemplates(value, results),
    isExample,
  };
}

function evaluate(
  template: string,
  executionId: string | null,
  { input, nodes, loop }: TemplateScope,
  signal: AbortSignal,
): Promise<Evaluated> {
  return client.evaluate.evaluate(
    {
      template,
      ...(executionId === null ? {} : { execution_id: executionId }),
      ...(input === undefined ? {} : { input }),
      nodes: Object.fromEntries([...nodes].filter(([, output]) => output !== undefined)),
      ...(loop === null ? {} : { item: loop.item, index: loop.index }),
    },
    { signal },
  );
}

type Result = Exclude<Preview, { kind: 'value' }> | { readonly kind: 'value'; readonly value: unknown };

function ofLocal(given: NonNullable<PreviewResult>): Result {
  return 'value' in given ? { kind: 'value', value: given.value } : { kind: 'error', text: given.error };
}

function ofQuery(query: UseQueryResult<Evaluated>, isActive: boolean, isRested: boolean): Result {
  if (!isRested) return isActive ? asking : none;
  if (query.isSuccess) return { kind: 'value', value: query.data.value };
  if (query.error instanceof ValidationError)
    return { kind: 'error', text: query.error.errors[0]?.issue ?? query.error.message };
  return query.isFetching ? asking : none;
}

/** The text, once it has not changed for a while. */
function useRested(text: string): string {
  const [rested, setRested] = useState(text);
  useEffect(() => {
    if (text === rested) return;
    const timer = setTimeout(() => setRested(text), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, rested]);
  return rested;
}
