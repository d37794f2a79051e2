/** The maximum number of frames to wait for the panel and its form to render. */
const MAX_FRAMES = 60;
const CONTROLS = ['input', 'select', 'textarea', '[contenteditable="true"]', 'button'];

/** Focuses a field of the form, such as `config.url`, or the nearest field around it. */
export function showField(field: string): void {
  retryByFrame(() => focusField(field));
}

/** Focuses the first field of a node's settings. If another tab of its panel is open, focuses that tab. */
export function focusPanel(nodeId: string): void {
  const panel = `#node-panel[data-node="${CSS.escape(nodeId)}"]`;
  const fields = CONTROLS.map((control) => `${panel} [data-field] ${control}`).join();
  retryByFrame(() => {
    const found = [fields, `${panel} [role="tab"][aria-selected="true"]`, `${panel} button`]
      .flatMap((selector) => [...document.querySelectorAll<HTMLElement>(selector)])
      .find((element) => element.checkVisibility());
    found?.focus();
    return found !== undefined;
  });
}

function retryByFrame(isDone: () => boolean): void {
  let frames = 0;
  const check = (): void => {
    if (!isDone() && frames++ < MAX_FRAMES) requestAnimationFrame(check);
  };
  check();
}

function focusField(field: string): boolean {
  for (let path = field; path !== ''; path = getParentPath(path)) {
    const element = document.querySelector(`#node-panel [data-field="${CSS.escape(path)}"]`);
    if (element === null) continue;
    element.scrollIntoView({ block: 'center' });
    element.querySelector<HTMLElement>(CONTROLS.join())?.focus();
    return true;
  }
  return false;
}

function getParentPath(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('.'), path.lastIndexOf('[')));
}
