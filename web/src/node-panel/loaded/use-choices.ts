import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ValidationError } from 'weft-client';
import { translateIssueText } from '../../data/issue-text.ts';
import { toErrorText } from '../../data/error-text.ts';
import {
  createChoiceRequest,
  type ChoiceList,
  type ChoiceRequest,
  type ChoiceSource,
} from './choice-source.ts';

/** ms, as in the cache of the service. */
const MAX_LIST_AGE_MS = 60_000;
/** ms after a change, so that not every key press calls the service. */
const PAUSE_MS = 400;

export type LoadedChoices = {
  readonly data: ChoiceList | undefined;
  /** Null: none. */
  readonly error: string | null;
  readonly isLoading: boolean;
  /** A field whose template prevents the load; null: none. */
  readonly blocked: string | null;
  /** The fields that the choices depend on and that have no value. */
  readonly missing: readonly string[];
  /** Whether a credential is chosen, or none is needed. */
  readonly isReady: boolean;
  readonly reload: () => void;
};

const choicesQuery = ({ key, load }: ChoiceRequest, refresh = false) => ({
  queryKey: ['loaded-choices', key],
  queryFn: ({ signal }: { signal: AbortSignal }): Promise<ChoiceList> => load(refresh, signal),
  staleTime: MAX_LIST_AGE_MS,
  retry: false,
});

/** Loads what a field accepts, once for each set of values that it depends on. */
export function useChoices(
  source: ChoiceSource,
  field: string,
  dependsOn: readonly string[],
  { search = '', isEnabled = true }: { search?: string; isEnabled?: boolean } = {},
): LoadedChoices {
  const queries = useQueryClient();
  const request = createChoiceRequest(source, field, dependsOn, search);
  const { key } = request;
  const settled = usePaused(key);
  const isReady = source.isReady && request.blocked === null;
  const list = useQuery({ ...choicesQuery(request), enabled: isReady && isEnabled && settled === key });
  return {
    data: list.data,
    error: list.error === null || !isReady ? null : describeError(list.error),
    isLoading: isReady && isEnabled && (list.isFetching || settled !== key),
    blocked: request.blocked,
    missing: dependsOn.filter((name) => !Object.hasOwn(request.values, name)),
    isReady: source.isReady,
    reload: () => void queries.fetchQuery({ ...choicesQuery(request, true), staleTime: 0 }).catch(() => {}),
  };
}

/** The text, once it has not changed for a while. */
function usePaused(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** The error of the service in its own words; the name of the request's field says nothing here. */
function describeError(error: unknown): string {
  const [first] = error instanceof ValidationError ? error.errors : [];
  return first?.field === 'field' ? translateIssueText(first.issue) : toErrorText(error);
}
