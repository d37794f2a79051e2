import { getIcon } from './icons.ts';

/** The icon of a node type or palette entry; undefined: an unknown type. */
export function TypeIcon({ type }: { type: { icon: string; category: string } | undefined }) {
  const Icon = getIcon(type?.icon ?? null);
  return (
    <span className="step__icon step__icon--small" data-category={type?.category ?? 'unknown'}>
      <Icon size={15} aria-hidden="true" />
    </span>
  );
}
