import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { validate } from '../../../src/contract/validate.ts';
import { serverMessages } from '../../../src/contract/requests/websocket.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { connectSocket, endSocketClients, type Message, type SocketClient } from './websocket-client.ts';
import { openSocketServer, type SocketServer } from '../servers/websocket-server.ts';

/** ms. The flusher yields to the event loop for this time, which a test's clock does not control. */
const MIN_DELAY_MS = 5;

class FixtureClock extends ManualClock {
  override after(ms: number, run: () => void): () => void {
    if (ms > MIN_DELAY_MS) return super.after(ms, run);
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  }
}

/** Yields to the network. */
export const sleep = (ms = 20): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export async function waitForCondition(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 3_000 && !holds(); i++) await sleep(10);
  expect(holds()).toBe(true);
}

/** The client receives an authentication error and is disconnected. */
export async function expectUnauthorized(client: SocketClient): Promise<Message> {
  const message = await client.next('error');
  expect(await client.closed()).toMatchObject({ code: 4401 });
  expect(message.data).toMatchObject({ code: 'UNAUTHORIZED' });
  expect(client.messages.at(-1)).toBe(message);
  return message;
}

/**
 * One server for a test file, with new users for every test. Call it once. `server` is available in tests.
 * After a test, all messages to its clients are validated against the contract.
 */
export function useWebSocketFixture() {
  const clock = new FixtureClock(Date.now());
  const clients: SocketClient[] = [];
  let server: SocketServer | null = null;

  beforeAll(async () => {
    server = await openSocketServer({ clock });
  });
  afterEach(() => {
    for (const { messages } of clients.splice(0)) {
      for (const message of messages)
        validate(serverMessages[message.type as keyof typeof serverMessages], message);
    }
    endSocketClients();
  });
  afterAll(async () => {
    await server!.close();
    expect(server!.lines.filter((line) => line.includes('"error"'))).toEqual([]);
  });

  async function open(): Promise<SocketClient> {
    const client = await connectSocket(server!.url);
    clients.push(client);
    return client;
  }

  return {
    clock,
    get server(): SocketServer {
      return server!;
    },
    open,
    async connectAuthenticated(userId: string): Promise<SocketClient> {
      const client = await open();
      const { token } = await server!.session(userId);
      expect((await client.auth(token)).type).toBe('auth_success');
      return client;
    },
    /** Advances time in steps, and yields to the network between them. */
    async wait(ms: number, step = 1_000): Promise<void> {
      for (let left = ms; left > 0; left -= step) {
        clock.advance(Math.min(step, left));
        await sleep(3);
      }
      await sleep();
    },
  };
}
