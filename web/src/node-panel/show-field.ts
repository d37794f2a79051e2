/** Focuses a field of the open form, such as `config.url`, or the nearest field around it. */
export function showField(field: string): void {
  for (let path = field; path !== ''; path = parentOf(path)) {
    const place = document.querySelector(`#node-panel [data-field="${CSS.escape(path)}"]`);
    if (place === null) continue;
    place.scrollIntoView({ block: 'center' });
    place.querySelector<HTMLElement>('input, select, textarea, [contenteditable="true"], button')?.focus();
    return;
  }
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('.'), path.lastIndexOf('[')));
}
