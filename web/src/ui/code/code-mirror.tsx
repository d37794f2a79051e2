import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { linter, lintKeymap } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  placeholder as placeholderText,
  runScopeHandlers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';
import { t } from '../../i18n/index.ts';

/** How long Tab leaves the editor after Escape, ms. */
const TAB_LEAVES_DURATION_MS = 2_000;

export type CodeMirrorProps = {
  value: string;
  onChange: (value: string) => void;
  language: 'javascript' | 'json';
  /** The accessible name. */
  label: string;
  id?: string | undefined;
  describedBy?: string | undefined;
  placeholder?: string | undefined;
  isReadOnly?: boolean | undefined;
};

/** Syntax colors. They use the page's tokens for light and dark, which a shadow root inherits. */
const highlightStyle = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'var(--accent)' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--busy)' },
  { tag: tags.comment, color: 'var(--ink-faint)', fontStyle: 'italic' },
  { tag: [tags.propertyName, tags.definition(tags.variableName)], color: 'var(--ink-soft)' },
]);

const editorTheme = EditorView.theme({
  '&': {
    minHeight: 'var(--code-height, 8rem)',
    maxHeight: '32rem',
    color: 'var(--ink)',
    fontSize: '0.78125rem',
  },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-gutters': {
    borderRight: '1px solid var(--line)',
    background: 'var(--sunken)',
    color: 'var(--ink-faint)',
  },
  '.cm-activeLine, .cm-activeLineGutter': { background: 'var(--hover)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    background: 'var(--accent-line)',
  },
  '.cm-placeholder': { color: 'var(--ink-faint)' },
  '.cm-tooltip, .cm-panels': {
    border: '1px solid var(--line)',
    borderRadius: 'var(--radius-s)',
    background: 'var(--raised)',
    color: 'var(--ink)',
  },
});

const languages: Record<CodeMirrorProps['language'], () => Extension> = {
  javascript: () => javascript(),
  json: () => [json(), linter(jsonParseLinter(), { delay: 400 })],
};

export function CodeMirror({
  value,
  onChange,
  language,
  label,
  id,
  describedBy,
  placeholder,
  isReadOnly = false,
}: CodeMirrorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const changed = useRef(onChange);
  useEffect(() => {
    changed.current = onChange;
  }, [onChange]);

  useEffect(() => {
    if (host.current === null) return;
    // The page's CSP forbids style elements. In a shadow root the editor uses adopted style sheets.
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    const made = new EditorView({
      parent: root,
      root,
      state: EditorState.create({
        doc: value,
        extensions: [
          lineNumbers(),
          history(),
          drawSelection(),
          indentOnInput(),
          bracketMatching(),
          closeBrackets(),
          autocompletion(),
          highlightActiveLine(),
          highlightSelectionMatches(),
          editorTheme,
          syntaxHighlighting(highlightStyle),
          languages[language](),
          EditorView.lineWrapping,
          EditorState.readOnly.of(isReadOnly),
          EditorView.contentAttributes.of({
            'aria-label': label,
            ...(isReadOnly
              ? {}
              : { 'aria-description': t('Tab indents. Press Escape, then Tab, to leave the code.') }),
            ...(id === undefined ? {} : { id }),
            ...(describedBy === undefined ? {} : { 'aria-describedby': describedBy }),
          }),
          ...(placeholder === undefined ? [] : [placeholderText(placeholder)]),
          // Escape, then Tab, leaves the editor, so that it is no keyboard trap.
          keymap.of([
            ...closeBracketsKeymap,
            ...defaultKeymap,
            ...searchKeymap,
            ...historyKeymap,
            ...completionKeymap,
            ...lintKeymap,
            indentWithTab,
          ]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed.current(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = made;
    const keepDialogOpen = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || !made.hasFocus || host.current?.closest('[role="dialog"]') == null)
        return;
      event.stopImmediatePropagation();
      if (!runScopeHandlers(made, event, 'editor')) made.setTabFocusMode(TAB_LEAVES_DURATION_MS);
    };
    // Before the dialog, which Escape would close, and with it what was written.
    addEventListener('keydown', keepDialogOpen, { capture: true });
    return () => {
      removeEventListener('keydown', keepDialogOpen, { capture: true });
      view.current = null;
      made.destroy();
    };
    // Created once; the effect below updates the text.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [language, label, id, describedBy, placeholder, isReadOnly]);

  useEffect(() => {
    const editor = view.current;
    if (editor === null || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);

  return <div className="code-editor" ref={host} />;
}
