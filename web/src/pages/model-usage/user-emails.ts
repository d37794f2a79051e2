import { useQuery } from '@tanstack/react-query';
import { client } from '../../data/client.ts';

/** The emails of the first 100 users by id, for administrators. */
export function useUserEmails(isEnabled: boolean): ReadonlyMap<string, string> {
  const users = useQuery({
    queryKey: ['users', 'emails'],
    queryFn: ({ signal }) => client.users.list({ limit: 100 }, { signal }),
    enabled: isEnabled,
  });
  return new Map((users.data?.users ?? []).map(({ id, email }) => [id, email]));
}
