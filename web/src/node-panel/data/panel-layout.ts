import { browserStorage } from '../../data/browser-storage.ts';
import { createStore, useStore } from '../../data/store.ts';
import { useMediaQuery } from '../../lib/use-media-query.ts';

/** Where the panel of a node is: beside the canvas, below it, or over it. */
export type PanelLayout = 'side' | 'bottom' | 'full';

type LayoutState = {
  readonly layout: PanelLayout;
  /** The layout that Escape returns to from `full`. */
  readonly docked: 'side' | 'bottom';
};

const STORAGE_KEY = 'weft.nodePanelLayout';
/** As in the style sheets: a narrower window shows the panel as a bottom sheet. */
const NARROW_MEDIA_QUERY = '(max-width: 54rem)';

const layoutState = createStore<LayoutState>(read());

export function setPanelLayout(layout: PanelLayout): void {
  const docked = layout === 'full' ? layoutState.get().docked : layout;
  layoutState.set({ layout, docked });
  browserStorage.set(STORAGE_KEY, layout === 'full' ? `full ${docked}` : layout);
}

/** Leaves the full view. */
export function dockPanel(): void {
  setPanelLayout(layoutState.get().docked);
}

/** `sheet` in a narrow window, whatever was chosen. */
export function usePanelLayout(): PanelLayout | 'sheet' {
  const { layout } = useStore(layoutState);
  return useMediaQuery(NARROW_MEDIA_QUERY) ? 'sheet' : layout;
}

function read(): LayoutState {
  const [first, second] = (browserStorage.get(STORAGE_KEY) ?? 'side').split(' ');
  const docked = (first === 'full' ? second : first) === 'bottom' ? 'bottom' : 'side';
  return { layout: first === 'full' ? 'full' : docked, docked };
}
