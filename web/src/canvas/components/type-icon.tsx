import type { NodeType } from '../model/catalogue.ts';
import { iconOf } from './icons.ts';

export function TypeIcon({ type }: { type: NodeType | undefined }) {
  const Icon = iconOf(type?.icon ?? null);
  return (
    <span className="step__icon step__icon--small" data-category={type?.category ?? 'unknown'}>
      <Icon size={15} aria-hidden="true" />
    </span>
  );
}
