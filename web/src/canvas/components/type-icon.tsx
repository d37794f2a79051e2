import { getTypeIcon } from './icons.ts';

/** The icon of a node type or palette entry; undefined: an unknown type. */
export function TypeIcon({ type }: { type: { id: string; icon: string; category: string } | undefined }) {
  const Icon = getTypeIcon(type);
  return (
    <span className="step__icon step__icon--small" data-category={type?.category ?? 'unknown'}>
      <Icon size={15} aria-hidden="true" />
    </span>
  );
}
