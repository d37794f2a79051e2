/** A placeholder for text that is loading. */
export function Skeleton({ width = '100%' }: { width?: string }) {
  return <span className="skeleton" style={{ width }} aria-hidden="true" />;
}

/** Placeholder rows of a table that is loading; hidden from screen readers. */
export function SkeletonRows({ rows = 5, columns }: { rows?: number; columns: number }) {
  return Array.from({ length: rows }, (_, row) => (
    <tr key={row} aria-hidden="true">
      {Array.from({ length: columns }, (_, column) => (
        <td key={column}>
          <Skeleton width={column === 0 ? `${9 + ((row * 5) % 7)}rem` : '4.5rem'} />
        </td>
      ))}
    </tr>
  ));
}
