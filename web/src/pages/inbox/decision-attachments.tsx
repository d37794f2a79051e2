import { Download } from 'lucide-react';
import type { Decision } from 'weft-client';
import { client } from '../../data/client.ts';
import { downloadBlob } from '../../data/download.ts';
import { useMutationWithToast } from '../../data/use-mutation-with-toast.ts';
import { formatByteSize } from '../../lib/byte-size.ts';
import { Button } from '../../ui/button.tsx';
import { t } from '../../i18n/index.ts';

type Attachment = Decision['attachments'][number];

/** The files of a decision, to download. They are never shown in the page. */
export function DecisionAttachments({ decision }: { decision: Decision }) {
  const { id, attachments } = decision;
  const download = useMutationWithToast(
    async ({ id: file }: Attachment) => (await client.decisions.attachments.get(id, file)).blob(),
    {
      changes: [],
      failed: t('The file could not be downloaded'),
      onDone: (blob, { name }) => downloadBlob(name, blob),
    },
  );
  if (attachments.length === 0) return null;
  return (
    <section aria-label={t('Attachments')}>
      <ul className="decision__files">
        {attachments.map((file) => (
          <li key={file.id}>
            <Button
              icon={<Download size={14} />}
              disabled={download.isPending}
              aria-label={t('Download {{name}}', { name: file.name })}
              onClick={() => download.mutate(file)}
            >
              <bdi className="truncate">{file.name}</bdi>
            </Button>
            <span className="faint">
              {file.content_type}, {formatByteSize(file.size)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
