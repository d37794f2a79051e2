import type { Mark } from '../ui/brand-marks.tsx';
import { useEffect, useRef } from 'react';

/** A command of the command palette. */
export type Command = {
  readonly id: string;
  readonly title: string;
  readonly detail: string;
  readonly group: string;
  readonly icon: Mark;
  /** Additional search words. */
  readonly words?: string;
  readonly run: () => void;
};

const providers = new Set<() => readonly Command[]>();

/** Offers commands while the component is mounted. `provide` is called when the palette opens. */
export function useCommands(provide: () => readonly Command[]): void {
  const latest = useRef(provide);
  useEffect(() => {
    latest.current = provide;
  });
  useEffect(() => {
    const provider = (): readonly Command[] => latest.current();
    providers.add(provider);
    return () => void providers.delete(provider);
  }, []);
}

/** The commands of the components that are mounted. */
export function listCommands(): Command[] {
  return [...providers].flatMap((provide) => provide());
}
