import { createStore, type Store } from '../../data/store.ts';
import type { Point } from '../model/document.ts';
import type { BodyPosition } from '../model/graph-index.ts';

/** Where the next chosen node is added. */
export type AddTarget = {
  /** The screen position of the list of types. Default: the middle of the canvas. */
  readonly screen?: Point | undefined;
  /** On the canvas. */
  readonly position?: Point | undefined;
  /** Connected from this port. */
  readonly from?: { readonly node: string; readonly port?: string | undefined } | undefined;
  /** Connected to this node. */
  readonly to?: { readonly node: string; readonly port?: string | undefined } | undefined;
  readonly bodyPosition?: BodyPosition | undefined;
  /** Into this edge. */
  readonly edge?: string | undefined;
};

export type MenuTarget = {
  readonly screen: Point;
  readonly on:
    | { readonly kind: 'selection' }
    | { readonly kind: 'edge'; readonly id: string }
    | { readonly kind: 'pane' };
};

/** The open elements around the canvas, which are not part of the workflow. */
export type UiState = {
  readonly adding: AddTarget | null;
  readonly menu: MenuTarget | null;
  readonly isFinding: boolean;
  readonly isPaletteOpen: boolean;
  readonly isMapOpen: boolean;
  readonly areShortcutsOpen: boolean;
  readonly isHistoryOpen: boolean;
  /** Whether the conflict dialog is open, if there is a conflict. */
  readonly isChoosing: boolean;
  /** The node that is being renamed on the canvas. */
  readonly renaming: string | null;
  /** The comment that is being edited. */
  readonly writing: string | null;
  /** The node that is being connected by keyboard. */
  readonly connecting: string | null;
  /** The agent that a tool is added to. */
  readonly addingTool: string | null;
  readonly tool: 'hand' | 'select';
  /** px of the canvas below which a panel lies over it, as on a narrow screen. */
  readonly coveredHeight: number;
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
    addingTool: null,
    tool: 'hand',
    coveredHeight: 0,
    ...first,
  });
  return { ...store, show: (change) => store.set({ ...store.get(), ...change }) };
}
