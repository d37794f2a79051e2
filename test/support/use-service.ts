import { afterAll, beforeAll } from 'vitest';
import { spawnService, createTempFolder, type Call, type SpawnedService } from './service.ts';

export type ServiceFixture = {
  readonly folder: ReturnType<typeof createTempFolder>;
  /** Available in tests, not before. */
  readonly weft: SpawnedService;
  /** Calls as the administrator. */
  readonly api: Call;
};

/**
 * One built service as a separate process for a test file, in a folder that is removed afterwards. Call it
 * once, before other hooks.
 */
export function useService(env: Readonly<Record<string, string>> = {}): ServiceFixture {
  const folder = createTempFolder();
  let weft: SpawnedService | null = null;
  let api: Call | null = null;
  beforeAll(async () => {
    weft = await spawnService({ dataDir: folder.path, env });
    api = await weft.login();
  });
  afterAll(async () => {
    await weft?.stop();
    folder.remove();
  });
  return {
    folder,
    get weft() {
      return weft!;
    },
    api: (...call) => api!(...call),
  };
}
