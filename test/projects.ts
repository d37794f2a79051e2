import { configDefaults } from 'vitest/config';

/*
 * The projects of the test suite, by folder and by name. `npm test` runs `unit` and `integration`, `npm run
 * test:all` runs all of them. A test file outside these folders that needs more than about 6 s is named
 * `*.slow.test.ts`.
 */
export const SLOW_FOLDERS = ['cluster', 'crash', 'fuzz', 'postgres', 'simulation'];
const SLOW = [
  `test/{${SLOW_FOLDERS.join(',')}}/**/*.test.ts`,
  '{src,sdk/src,web/src,scripts,test}/**/*.{fuzz,slow}.test.ts',
];
const BROWSER = ['test/browser/**/*.test.ts'];

const PROJECTS = {
  /** Tests next to the sources. */
  unit: { include: ['{src,sdk/src,web/src,scripts}/**/*.test.ts'], exclude: SLOW },
  /** The program through its APIs, and rules about the repository. */
  integration: { include: ['test/**/*.test.ts'], exclude: [...SLOW, ...BROWSER] },
  /** The editor in Chromium. */
  browser: { include: BROWSER, exclude: SLOW },
  /** Injected failures, random input and several processes. */
  slow: { include: SLOW, exclude: [] },
};

export const testProjects = Object.entries(PROJECTS).map(([name, { include, exclude }]) => ({
  extends: true as const,
  test: { name, include, exclude: [...configDefaults.exclude, ...exclude] },
}));
