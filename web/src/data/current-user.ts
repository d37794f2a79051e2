import { useQuery } from '@tanstack/react-query';
import type { User } from 'weft-client';
import { client } from './client.ts';
import { sessionState } from './session.ts';
import { useStore } from './store.ts';

/** The signed-in user. Name and email are known from the login; role and plan after a request. */
export function useCurrentUser(): (Pick<User, 'id' | 'email' | 'name'> & Partial<User>) | null {
  const { session } = useStore(sessionState);
  const { data } = useQuery({
    queryKey: ['me'],
    queryFn: ({ signal }) => client.users.me({ signal }),
    enabled: session !== null,
    staleTime: 5 * 60_000,
  });
  return data ?? session?.user ?? null;
}
