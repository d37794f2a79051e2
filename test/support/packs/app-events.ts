import { createHmac } from 'node:crypto';

export const APP_SECRET = 'signing-secret-of-the-app-5d1f';
/** The public URL of the service that `url` belongs to. */
export const PUBLIC_URL = 'https://weft.example.com';

export type AppEvent = {
  event?: string;
  account?: string;
  items?: { id: number }[];
  challenge?: string;
  fail?: string;
};

/** `secret`: with which it is signed; `query`: is not signed. */
export type AppEventOptions = { headers?: Record<string, string>; secret?: string; query?: string };

/** Sends an event of the app of the demo pack to the process at `base`. `url`: the address of the app. */
export async function sendAppEvent(
  base: string,
  url: string,
  event: AppEvent,
  { headers = {}, secret = APP_SECRET, query = '' }: AppEventOptions = {},
): Promise<Response> {
  const body = JSON.stringify(event);
  const signature = createHmac('sha256', secret).update(`${url}\n${body}`).digest('hex');
  return fetch(url.replace(`${PUBLIC_URL}/v1`, base) + query, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-demo-signature': signature, ...headers },
    body,
  });
}
