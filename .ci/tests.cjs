'use strict';
// Runs the README's test command, and ends with "N passed, N failed" and its status. Plain Node, for nothing is installed yet.
//
// A test process that the system ended by a signal said nothing about its tests. Its files run once more, by themselves, and
// what it printed at its end is shown again: a second death is a failure, and so is everything else that is not "passed".
const { spawn } = require('child_process');
const { mkdtempSync, readFileSync, rmSync } = require('fs');
const os = require('os');
const path = require('path');

const DIED = /Worker exited unexpectedly with signal (SIG\w+).* while running test file (\S+\.test\.ts)/g;
const LAST_WORDS = /^.*(# Fatal error|# Check failed|FATAL ERROR|out of memory).*$/gim;
const COLOURS = new RegExp(String.fromCharCode(27) + '\\[[0-9;]*m', 'g');

const root = path.resolve(__dirname, '..');
const folder = mkdtempSync(path.join(os.tmpdir(), 'weft-ci-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

function run(args, report) {
  const given = ['test', '--', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`].concat(
    args,
  );
  return new Promise((resolve) => {
    const child = spawn('npm', given, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const [stream, out] of [
      [child.stdout, process.stdout],
      [child.stderr, process.stderr],
    ]) {
      stream.on('data', (piece) => {
        out.write(piece);
        text += piece;
      });
    }
    child.on('close', (code) => resolve({ code: code === null ? 1 : code, text: text.replace(COLOURS, '') }));
  });
}

// A run without a report (a crash of the runner, a failed installation) counts as one failure.
function counts(report) {
  try {
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
    return { passed: numPassedTests, failed: numFailedTests, files: testResults };
  } catch (_) {
    return { passed: 0, failed: 1, files: [] };
  }
}

async function main() {
  const first = path.join(folder, 'first.json');
  const { code, text } = await run(process.argv.slice(2), first);
  let { passed, failed, files } = counts(first);
  let status = code;

  const died = new Map();
  for (const [, signal, file] of text.matchAll(DIED)) died.set(path.resolve(file), signal);
  const otherErrors =
    (text.match(/^Caused by: |^⎯+ Unhandled (Error|Rejection) ⎯+$/gm) || []).length > 2 * died.size;
  const otherFiles = files.some((file) => file.status !== 'passed' && !died.has(path.resolve(file.name)));
  if (status !== 0 && died.size > 0 && failed === 0 && !otherErrors && !otherFiles) {
    for (const [file, signal] of died)
      console.log(`ci: the process of ${file} ended by ${signal}; once more`);
    for (const line of text.match(LAST_WORDS) || []) console.log(`ci: ${line}`);
    const second = path.join(folder, 'second.json');
    const again = await run(
      [...died.keys()].map((file) => path.relative(root, file)),
      second,
    );
    const whole = counts(second);
    status = again.code;
    passed += whole.passed;
    failed += whole.failed;
  }
  if (failed === 0 && status !== 0) failed = 1;
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = status;
}

main();
