/** What a node authenticates with: a stored secret, or an account at another service. */
export type CredentialKind = 'secret' | 'connection';
export type Credential = { readonly kind: CredentialKind; readonly name: string };

const SECRET_TEMPLATE = /^\{\{\s*secrets\.([A-Za-z_]\w{0,63})\s*\}\}$/;

/** The name in `{{ secrets.NAME }}`; null for any other text. */
export function parseSecretTemplate(text: string): string | null {
  return SECRET_TEMPLATE.exec(text.trim())?.[1] ?? null;
}

export function formatSecretTemplate(name: string): string {
  return `{{ secrets.${name} }}`;
}

/** The names of all secrets that the templates of a text read. */
export function listSecretsInText(text: string): string[] {
  if (!text.includes('secrets')) return [];
  return [...text.matchAll(/\{\{(?:(?!\}\}).)*\}\}/gs)].flatMap(([template]) =>
    [...template.matchAll(/\bsecrets(?:\.([A-Za-z_]\w*)|\[\s*["']([A-Za-z_]\w*)["']\s*\])/g)].map(
      ([, plain, quoted]) => plain ?? quoted ?? '',
    ),
  );
}
