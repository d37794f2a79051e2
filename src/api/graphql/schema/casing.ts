/** The contract's `created_at` as GraphQL spells it: `createdAt`. Names without an underscore stay. */
export function camelCase(name: string): string {
  return name.replaceAll(/_([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase());
}
