import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { IconButton } from './button.tsx';
import { t } from '../i18n/index.ts';

/** ms that the success state is shown. */
const CONFIRMATION_MS = 1_600;

/** The clipboard works on secure origins only; elsewhere the text is selected in a hidden field. */
async function copy(text: string): Promise<void> {
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (clipboard !== undefined) return clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'visually-hidden';
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}

export function CopyButton({ text, label = t('Copy') }: { text: string; label?: string }) {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), CONFIRMATION_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <IconButton
      label={isCopied ? t('Copied') : label}
      size="small"
      icon={isCopied ? <Check size={14} /> : <Copy size={14} />}
      onClick={() => void copy(text).then(() => setIsCopied(true))}
    />
  );
}
