/** The folders (`node_modules/…`) of the packages from which esbuild took files, by its metafile. */
export function packagesOf({ inputs }) {
  const folders = Object.keys(inputs).flatMap((file) => {
    const found = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file);
    return found === null ? [] : [found[1]];
  });
  return [...new Set(folders)];
}
