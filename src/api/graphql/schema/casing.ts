/** Converts a name of the contract to GraphQL: `created_at` becomes `createdAt`. */
export function toCamelCase(name: string): string {
  return name.replaceAll(/_([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase());
}
