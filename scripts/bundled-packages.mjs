/** The folders (`node_modules/…`) of the bundled packages, from esbuild's metafile. */
export function listPackages({ inputs }) {
  const folders = Object.keys(inputs).flatMap((file) => {
    const found = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file);
    return found === null ? [] : [found[1]];
  });
  return [...new Set(folders)];
}
