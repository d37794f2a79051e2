declare module 'node-gyp-build' {
  const finder: {
    /** The native part in this folder for this process. @throws an Error when there is none. */
    path(folder: string): string;
  };
  export default finder;
}
