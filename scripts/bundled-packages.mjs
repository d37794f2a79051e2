/**
 * Returns the folders of the packages in a bundle, relative to the root. A folder of `node_modules` within
 * the files of a package, as some bundlers write, has no package.json and belongs to that package.
 */
export function listPackages({ inputs }) {
  const folders = Object.keys(inputs).flatMap((file) => {
    const found = /^(.*?node_modules\/(?:@[^/]+\/)?[^/]+(?:\/node_modules\/(?:@[^/]+\/)?[^/]+)*)\//.exec(
      file,
    );
    return found === null ? [] : [found[1]];
  });
  return [...new Set(folders)];
}
