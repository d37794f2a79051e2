import { lazy, Suspense } from 'react';
import type { CodeMirrorProps } from './code-mirror.tsx';

const CodeMirror = lazy(() => import('./code-mirror.tsx').then((module) => ({ default: module.CodeMirror })));

/** An editor for code or JSON. Its code is loaded on first use. */
export function CodeEditor(props: CodeMirrorProps) {
  return (
    <Suspense fallback={<div className="code-editor code-editor--loading" aria-busy="true" />}>
      <CodeMirror {...props} />
    </Suspense>
  );
}
