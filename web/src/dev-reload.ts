const INTERVAL_MS = 500;

/** The version of the page that the service currently serves; null while it restarts. */
async function readVersion(): Promise<string | null> {
  const response = await fetch('/', { method: 'HEAD', cache: 'no-store' }).catch(() => null);
  return response?.ok === true ? response.headers.get('etag') : null;
}

let loaded: string | null = null;
setInterval(async () => {
  const version = await readVersion();
  loaded ??= version;
  if (version !== null && version !== loaded) location.reload();
}, INTERVAL_MS);

// oxlint-disable-next-line unicorn/require-module-specifiers -- makes the file a module
export {};
