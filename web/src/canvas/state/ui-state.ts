import { createStore, type Store } from '../../data/store.ts';
import type { Point } from '../model/document.ts';
import type { BodyPosition } from '../model/graph-index.ts';

/** Where a node that is chosen next is to go. */
export type AddTarget = {
  /** On the screen, where the list of types opens; the middle of the canvas when left out. */
  readonly screen?: Point | undefined;
  /** On the canvas. */
  readonly position?: Point | undefined;
  /** Connected from this port. */
  readonly from?: { readonly node: string; readonly port?: string | undefined } | undefined;
  /** Connected to this node. */
  readonly to?: { readonly node: string; readonly port?: string | undefined } | undefined;
  readonly bodyPosition?: BodyPosition | undefined;
  /** Between the ends of this line. */
  readonly edge?: string | undefined;
};

export type MenuTarget = {
  readonly screen: Point;
  readonly on:
    | { readonly kind: 'selection' }
    | { readonly kind: 'edge'; readonly id: string }
    | { readonly kind: 'pane' };
};

/** What is open around the canvas; nothing of it is part of the workflow. */
export type UiState = {
  readonly adding: AddTarget | null;
  readonly menu: MenuTarget | null;
  readonly isFinding: boolean;
  readonly isPaletteOpen: boolean;
  readonly isMapOpen: boolean;
  readonly areShortcutsOpen: boolean;
  readonly isHistoryOpen: boolean;
  /** Whether the choice between two versions is in sight, where there is one. */
  readonly isChoosing: boolean;
  /** The node whose name is being typed on the canvas. */
  readonly renaming: string | null;
  /** The comment whose text is being typed. */
  readonly writing: string | null;
  /** The node that is being connected by keyboard. */
  readonly connecting: string | null;
  readonly tool: 'hand' | 'select';
};

export type Ui = Store<UiState> & { show(change: Partial<UiState>): void };

export function createUi(first: Partial<UiState> = {}): Ui {
  const store = createStore<UiState>({
    adding: null,
    menu: null,
    isFinding: false,
    isPaletteOpen: false,
    isMapOpen: true,
    areShortcutsOpen: false,
    isHistoryOpen: false,
    isChoosing: true,
    renaming: null,
    writing: null,
    connecting: null,
    tool: 'hand',
    ...first,
  });
  return { ...store, show: (change) => store.set({ ...store.get(), ...change }) };
}
