import { CopyButton } from './copy-button.tsx';

/** A text to read and to take away. */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <div className="code-block">
      <pre tabIndex={0} role="region" aria-label={label}>
        <code>{text}</code>
      </pre>
      <span className="code-block__copy">
        <CopyButton text={text} label={`Copy ${label}`} />
      </span>
    </div>
  );
}
