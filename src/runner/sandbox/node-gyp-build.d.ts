declare module 'node-gyp-build' {
  const finder: {
    /** Returns the path of the addon in this folder for this process. @throws {Error} if there is none. */
    path(folder: string): string;
  };
  export default finder;
}
