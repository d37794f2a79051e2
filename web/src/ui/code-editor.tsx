import { lazy, Suspense } from 'react';
import type { CodeMirrorProps } from './code-mirror.tsx';

const CodeMirror = lazy(() => import('./code-mirror.tsx').then((module) => ({ default: module.CodeMirror })));

/** Code or JSON to edit. The editor itself is loaded when the first one is shown. */
export function CodeEditor(props: CodeMirrorProps) {
  return (
    <Suspense fallback={<div className="code-editor code-editor--loading" aria-busy="true" />}>
      <CodeMirror {...props} />
    </Suspense>
  );
}
