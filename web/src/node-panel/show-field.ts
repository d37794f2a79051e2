/** The maximum number of frames in which the form may appear: a tab renders its content after it was chosen. */
const MAX_FRAMES = 60;

/** Focuses a field of the form, such as `config.url`, or the nearest field around it. */
export function showField(field: string): void {
  let frames = 0;
  const look = (): void => {
    if (!focusField(field) && frames++ < MAX_FRAMES) requestAnimationFrame(look);
  };
  look();
}

function focusField(field: string): boolean {
  for (let path = field; path !== ''; path = getParentPath(path)) {
    const location = document.querySelector(`#node-panel [data-field="${CSS.escape(path)}"]`);
    if (location === null) continue;
    location.scrollIntoView({ block: 'center' });
    location.querySelector<HTMLElement>('input, select, textarea, [contenteditable="true"], button')?.focus();
    return true;
  }
  return false;
}

function getParentPath(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('.'), path.lastIndexOf('[')));
}
