import type { Pack } from 'weft-client';
import { usePack } from '../../connectors/use-operations.ts';
import { InstallDialog } from './install-dialog.tsx';

/** Updates a pack. It opens when it is known which package the pack was made from. */
export function UpdateDialog({ pack, onClose }: { pack: Pack; onClose: () => void }) {
  const { data, error } = usePack(pack.name, pack.version);
  if (pack.kind === 'npm' && data === undefined && error === null) return null;
  return <InstallDialog pack={pack} packageName={data?.package?.name ?? null} onClose={onClose} />;
}
