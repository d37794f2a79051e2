import { afterAll, beforeAll } from 'vitest';
import { startInProcess, type InProcess } from './in-process.ts';
import { temporaryFolder, type Call } from './service.ts';

export type ServiceHouse = {
  readonly folder: ReturnType<typeof temporaryFolder>;
  /** There from the first test on. */
  readonly weft: InProcess;
  /** Calls as the administrator. */
  readonly api: Call;
};

/** One service in this process for a file of tests, in a folder that goes with it. To be called once, before other hooks. */
export function serviceHouse(): ServiceHouse {
  const folder = temporaryFolder();
  let weft: InProcess | null = null;
  let api: Call | null = null;
  beforeAll(async () => {
    weft = await startInProcess({ dataDir: folder.path });
    api = await weft.login();
  });
  afterAll(async () => {
    await weft?.service.stop();
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
