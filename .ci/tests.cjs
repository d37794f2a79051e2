'use strict';
// Runs `npm run test:all`, and ends with "N passed, N failed" and its status. Plain Node, because no
// dependencies are installed yet.
//
// One file that failed, or whose process crashed, runs once more, so that a flaky test does not block a
// merge. It is printed as FLAKY with the reason, and is a defect to repair. A second such file, a second
// failure, or an error outside of the tests is a failure.
const { spawn } = require('child_process');
const { mkdtempSync, readFileSync, rmSync } = require('fs');
const os = require('os');
const path = require('path');

const DIED = /Worker exited unexpectedly with signal (SIG\w+).* while running test file (\S+\.test\.ts)/g;
const LAST_WORDS = /^.*(# Fatal error|# Check failed|FATAL ERROR|out of memory).*$/gim;
const COLORS = new RegExp(String.fromCharCode(27) + '\\[[0-9;]*m', 'g');
/** The report of failures is short, because logs of CI are often truncated to their end. */
const MAX_REPORTED_LINES = 60;
const MAX_LINE_LENGTH = 300;
const REPORTERS = ['default', 'json', './test/support/last-line-reporter.ts'];

const root = path.resolve(__dirname, '..');
const folder = mkdtempSync(path.join(os.tmpdir(), 'weft-ci-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** Runs the tests. Resolves to the status, the plain output, and the counts and files of the JSON report. */
function run(args, report) {
  const reporters = REPORTERS.map((reporter) => `--reporter=${reporter}`);
  const given = ['run', 'test:all', '--'].concat(reporters, `--outputFile.json=${report}`, args);
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
    child.on('close', (code) =>
      resolve({ status: code === null ? 1 : code, text: text.replace(COLORS, ''), ...readCounts(report) }),
    );
  });
}

// A run without a report (a crash of the runner, a failed installation) counts as one failure.
function readCounts(report) {
  try {
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
    return { passed: numPassedTests, failed: numFailedTests, files: testResults };
  } catch {
    return { passed: 0, failed: 1, files: [] };
  }
}

/** The files that failed, each with the reason. */
function failedFiles({ files, text }) {
  const reasons = new Map();
  for (const file of files) {
    if (file.status === 'passed') continue;
    const tests = file.assertionResults.filter((test) => test.status === 'failed');
    reasons.set(
      path.relative(root, file.name),
      tests.map((test) => test.fullName).join('; ') || file.message,
    );
  }
  for (const [, signal, file] of text.matchAll(DIED))
    reasons.set(path.relative(root, path.resolve(root, file)), `its process was ended by ${signal}`);
  return reasons;
}

const matches = (text, pattern) => text.match(pattern) || [];

/** Prints each failed test with its first error line, crashed processes, and errors outside of tests. */
function reportFailures({ files, text }) {
  const lines = [];
  for (const file of files) {
    const name = path.relative(root, file.name);
    const tests = file.assertionResults.filter((test) => test.status === 'failed');
    for (const test of tests) lines.push(`${name}: ${test.fullName}: ${test.failureMessages.join(' ')}`);
    if (file.status !== 'passed' && tests.length === 0) lines.push(`${name}: ${file.message}`);
  }
  for (const [, signal, file] of text.matchAll(DIED))
    lines.push(`${file}: its process was ended by ${signal}`);
  for (const line of matches(text, LAST_WORDS)) lines.push(line);
  for (const [, line] of text.matchAll(/^⎯+ Unhandled (?:Error|Rejection) ⎯+\n+(.+)$/gm))
    lines.push(`Unhandled: ${line}`);
  const counts = new Map();
  for (const line of lines) {
    const short = line.replace(/\s+/g, ' ').slice(0, MAX_LINE_LENGTH);
    counts.set(short, (counts.get(short) || 0) + 1);
  }
  const distinct = [...counts].map(([line, count]) => (count === 1 ? line : `${line} (${count} times)`));
  for (const line of distinct.slice(0, MAX_REPORTED_LINES)) console.log(`FAILURE: ${line}`);
  if (distinct.length > MAX_REPORTED_LINES)
    console.log(`FAILURE: and ${distinct.length - MAX_REPORTED_LINES} more`);
}

async function main() {
  const first = await run(process.argv.slice(2), path.join(folder, 'first.json'));
  let { status, passed, failed } = first;

  const reasons = failedFiles(first);
  const errors = matches(first.text, /^⎯+ Unhandled (Error|Rejection) ⎯+$/gm).length;
  if (status !== 0 && reasons.size === 1 && errors <= matches(first.text, DIED).length) {
    const [[file, reason]] = reasons;
    console.log(`FLAKY: ${file} failed and runs once more: ${reason}`);
    for (const line of matches(first.text, LAST_WORDS)) console.log(`FLAKY: ${line}`);
    const second = await run([file], path.join(folder, 'second.json'));
    const before = first.files.filter((result) => path.relative(root, result.name) === file);
    const counted = before.flatMap((result) => result.assertionResults);
    status = second.status;
    passed += second.passed - counted.filter((test) => test.status === 'passed').length;
    failed = second.failed;
    console.log(
      `FLAKY: ${file} ${status === 0 ? 'passed' : 'failed again'}; repair it, whatever the second run says`,
    );
  }
  if (first.status !== 0) {
    console.log('Failures of the first run:');
    reportFailures(first);
  }
  if (failed === 0 && status !== 0) failed = 1;
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = status;
}

void main();
