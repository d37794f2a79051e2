import { Play } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../data/client.ts';
import { faultText } from '../../data/fault.ts';
import { Button } from '../../ui/button.tsx';
import { toast } from '../../ui/toast.tsx';
import type { Saver } from '../editor/saver.ts';

/** Runs what is on the canvas, after saving it, without input. */
export function RunButton({ workflowId, saver }: { workflowId: string; saver: Saver }) {
  const [isBusy, setIsBusy] = useState(false);
  const run = async (): Promise<void> => {
    setIsBusy(true);
    try {
      if (!(await saver.flush())) return;
      const { id } = await client.workflows.execute(workflowId, {});
      toast({ tone: 'info', title: 'Started', text: `Execution ${id}` });
    } catch (error) {
      toast({ tone: 'bad', title: 'It could not be started', text: faultText(error) });
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <Button icon={<Play size={14} />} isBusy={isBusy} onClick={() => void run()}>
      Run
    </Button>
  );
}
