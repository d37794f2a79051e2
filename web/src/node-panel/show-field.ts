/** Focuses the field of the open form, such as `config.url`, or the nearest field around it. Returns how to cancel it. */
export function showField(field: string): () => void {
  // The form is rendered with the tab that was just chosen.
  const frame = requestAnimationFrame(() => {
    for (
      let path = field;
      path !== '';
      path = path.slice(0, Math.max(path.lastIndexOf('.'), path.lastIndexOf('[')))
    ) {
      const place = document.querySelector(`#node-panel [data-field="${CSS.escape(path)}"]`);
      if (place === null) continue;
      place.scrollIntoView({ block: 'center' });
      place.querySelector<HTMLElement>('input, select, textarea, [contenteditable="true"], button')?.focus();
      return;
    }
  });
  return () => cancelAnimationFrame(frame);
}
