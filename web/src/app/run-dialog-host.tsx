import { runRequest } from '../data/run-request.ts';
import { useStore } from '../data/store.ts';
import { Lazy } from '../ui/lazy.tsx';
import { createLazyComponent } from '../ui/lazy-component.tsx';

const RunDialog = createLazyComponent(async () => (await import('../pages/run/run-dialog.tsx')).RunDialog);

export function RunHost() {
  const request = useStore(runRequest);
  if (request === null) return null;
  return (
    <Lazy>
      <RunDialog key={request.workflow.id} workflow={request.workflow} onClose={() => runRequest.set(null)} />
    </Lazy>
  );
}
