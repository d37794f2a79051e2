// For esbuild: parts of Node are taken without `import`. That reads everything which a part exports, and so makes even what is there
// only for whoever asks: the streams of node:fs, the WebCrypto of node:crypto, the HTTP client of node:http. At every start of the
// service that is a tenth of the time.
import { builtinModules } from 'node:module';
import type { Plugin } from 'esbuild';

const namespace = 'node';

export const leanBuiltins: Plugin = {
  name: 'lean-builtins',
  setup(build) {
    build.onResolve({ filter: /^[a-z]/ }, ({ path, kind }) => {
      const isPart = kind === 'import-statement' && builtinModules.includes(path.replace(/^node:/, ''));
      return isPart ? { path, namespace, sideEffects: false } : undefined;
    });
    build.onLoad({ filter: /./, namespace }, ({ path }) => {
      const names = Object.keys(process.getBuiltinModule(path)!).filter((name) => name !== 'default');
      // Marked as pure: esbuild leaves out what nobody takes.
      const lines = names.flatMap((name, i) => [
        `const value${i} = /* @__PURE__ */ (() => part[${JSON.stringify(name)}])();`,
        `export { value${i} as ${name} };`,
      ]);
      const part = `const part = /* @__PURE__ */ process.getBuiltinModule(${JSON.stringify(path)});`;
      return { contents: [part, 'export default part;', ...lines].join('\n') };
    });
  },
};
