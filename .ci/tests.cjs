'use strict';
// Runs the README's test command, and ends with "N passed, N failed" and its status. Plain Node, for nothing is installed yet.
//
// On a shared machine a process is sometimes starved for seconds, or ended by the system. So a few files that failed, or whose
// process died, run once more, one after the other; each is named with what it said, for a test that is not steady is a fault to
// be repaired. A second failure is a failure, and so are many at once and every error outside a test.
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
  } catch {
    return { passed: 0, failed: 1, files: [] };
  }
}

/** The most files that run once more. */
const FEW = 8;

async function main() {
  const first = path.join(folder, 'first.json');
  const { code, text } = await run(process.argv.slice(2), first);
  let { passed, failed, files } = counts(first);
  let status = code;

  const why = new Map();
  for (const file of files) {
    if (file.status === 'passed') continue;
    const tests = file.assertionResults.filter((test) => test.status === 'failed');
    why.set(path.relative(root, file.name), tests.map((test) => test.fullName).join('; ') || file.message);
  }
  let died = 0;
  for (const [, signal, file] of text.matchAll(DIED)) {
    died++;
    why.set(path.relative(root, path.resolve(root, file)), `its process ended by ${signal}`);
  }
  const errors = (text.match(/^⎯+ Unhandled (Error|Rejection) ⎯+$/gm) || []).length;
  if (status !== 0 && why.size > 0 && why.size <= FEW && errors <= died) {
    for (const [file, reason] of why) console.log(`ci: ${file} once more: ${reason}`);
    for (const line of text.match(LAST_WORDS) || []) console.log(`ci: ${line}`);
    const second = path.join(folder, 'second.json');
    const again = await run(['--no-file-parallelism', ...why.keys()], second);
    const whole = counts(second);
    status = again.code;
    const isAgain = (file) => why.has(path.relative(root, file.name));
    const seen = files.filter(isAgain).flatMap((file) => file.assertionResults);
    passed += whole.passed - seen.filter((test) => test.status === 'passed').length;
    failed = whole.failed;
    if (status === 0) console.log(`ci: not steady, passed when run again: ${[...why.keys()].join(', ')}`);
  }
  if (failed === 0 && status !== 0) failed = 1;
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = status;
}

void main();
