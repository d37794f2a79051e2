import { useQuery } from '@tanstack/react-query';
import type { User } from 'weft-client';
import { client } from './client.ts';
import { sessionState } from './session.ts';
import { useStore } from './store.ts';

/** Who is signed in. Name and email are there at once, from the login; role and plan with the service's answer. */
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
