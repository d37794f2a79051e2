import { adminEmail, adminPassword } from '../../support/service.ts';

export type Api = (method: string, at: string, body?: object) => Promise<Record<string, unknown>>;

/** Calls the service of a page directly, as its administrator. Rejects with the error of the response. */
export async function createSignedInApi(origin: string): Promise<Api> {
  const ask = async (method: string, at: string, body?: object, token?: string) => {
    const response = await fetch(`${origin}/v1${at}`, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${at}: ${response.status} ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  };
  const { token } = await ask('POST', '/auth/login', { email: adminEmail, password: adminPassword });
  return (method, at, body) => ask(method, at, body, token as string);
}
