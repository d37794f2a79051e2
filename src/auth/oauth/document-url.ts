/**
 * Whether a client ID is the URL of a metadata document. The IDs of registered clients do not begin with
 * `https://`.
 */
export function isDocumentUrl(clientId: string): boolean {
  return clientId.startsWith('https://');
}
