// Checks comments, messages, JSX text and documentation against a list of phrases that this project avoids,
// and the length of comment lines. `npm run check -- prose` runs it. Arguments limit it to paths: `node
// scripts/check-prose.mjs src/api`. Each finding is one line: file:line, the phrase, and what to write in its
// place.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');

/** Phrases that readers from the field do not expect, each with what to write in its place. */
const BANNED = [
  [/\b(?:whoever|whatever is|whichever is)\b/i, 'name the subject: the caller, the worker, the value'],
  [
    /\b(?:is|are|was|were|be|been) told\b|\btold (?:of|in|by)\b|\btells? (?:of|in|it|them|its|their|the)\b/i,
    'returns, reports, publishes, is notified',
  ],
  [/\b(?:hears?|heard)\b/i, 'receives, subscribes'],
  [/\b(?:nobody|somebody|nobody's|somebody's)\b/i, 'name the subject: no caller, another process, a user'],
  [/\bby (?:itself|themselves)\b/i, 'automatically, alone'],
  [/\bat work\b/i, 'running'],
  [/\bgo(?:es)? on\b|\bwent on\b|\bgoing on\b/i, 'continues, resumes'],
  [/\bstand(?:s|ing)? (?:in|at|beside|there|on|behind|before)\b/i, 'is, is in, is listed in'],
  [/\bto be had\b/i, 'is available'],
  [/\bin hand\b/i, 'holds, in memory'],
  [/\bbut for\b/i, 'except'],
  [/(?:^|[.;:] )Of (?:a|an|one|two|the|what|all|each|these|those|such)\b/, 'begin with the subject'],
  [/\b(?:doors?|houses?|rooms?|groundwork|duties)\b/i, 'API; layer, module; memory, capacity, space; tasks'],
  [/\b(?:upon|shall|thereof|therein|whereby|wherein|hitherto)\b/i, 'on, will, which'],
  [
    /\bis no [a-z]+ (?:that|yet|which)\b|\bis none that\b|\bis no (?:JSON|time|number|text|name|object|list)\b/i,
    'is not a valid …',
  ],
  [/\bso many\b/i, 'name the limit'],
  [
    /\bwhat (?:came|comes|is there|was there|stands|is kept|is asked|is said|leaves|arrives)\b/i,
    'name the thing: the request, the events, the value',
  ],
  [/\bwho (?:asks|waits|calls|reads|writes|may|has)\b/i, 'name the subject: the caller, the reader'],
  [/(?<!-)\bfaults?\b/i, 'error, failure'],
  [
    /\b(?:an|the|its|their|every|each|any|no|one|this|that|small|first|last|second|whole|same) answer\b|\b(?:the|its|their|all|no|large) answers\b|\banswers? (?:of|from)\b/i,
    'response, result',
  ],
];
/** Terms of the field that contain a banned word. */
const TERMS = /\bfault (?:injection|tolerance|tolerant|tests?)\b/gi;
/** The maximum columns of a comment line, which the formatter does not wrap. */
const MAX_COMMENT_COLUMNS = 110;
const SOURCES = /\.(?:tsx?|mjs|cjs|md|css)$/;
const GENERATED = /^(?:sdk\/src\/generated|docs\/reference)\//;
const CODE_TOKEN =
  /\/\*[\s\S]*?\*\/|(?<![:'"`}])\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|>[^<>{}=;()]*[A-Za-z][^<>{}=;()]*</g;
const MARKDOWN_CODE = /```[\s\S]*?```|`[^`\n]*`|^ {4}.*$/gm;

const blank = (text, pattern) => text.replace(pattern, (part) => part.replace(/[^\n]/g, ' '));

/** The prose of a file as [offset, text]: comments, strings with spaces, JSX text, Markdown without code. */
function readProse(file, text) {
  if (file.endsWith('.md')) return [[0, blank(text, MARKDOWN_CODE)]];
  const found = [];
  for (const { 0: token, index } of text.matchAll(CODE_TOKEN)) {
    if (token.startsWith('/')) found.push([index, blank(token, /`[^`\n]*`/g)]);
    else if (/[A-Za-z]{2,} [A-Za-z]/.test(token)) found.push([index, blank(token, /\$\{[^}]*\}/g)]);
  }
  return found;
}

/** The findings of too long comment lines, with the code before a comment. */
function checkCommentLength(file, text) {
  if (file.endsWith('.md')) return [];
  const lines = text.split('\n');
  const long = new Set();
  for (const { 0: token, index } of text.matchAll(CODE_TOKEN)) {
    if (!token.startsWith('/')) continue;
    const first = text.slice(0, index).split('\n').length;
    for (let line = first; line < first + token.split('\n').length; line++)
      if (lines[line - 1].length > MAX_COMMENT_COLUMNS) long.add(line);
  }
  return [...long].map(
    (line) =>
      `${file}:${line}: ${lines[line - 1].length} columns: at most ${MAX_COMMENT_COLUMNS} in a comment`,
  );
}

function checkFile(file) {
  const text = readFileSync(path.join(root, file), 'utf8');
  const findings = checkCommentLength(file, text);
  // The list of phrases is in this file.
  if (file === 'scripts/check-prose.mjs') return findings;
  for (const [offset, prose] of readProse(file, text)) {
    // A phrase may be wrapped; its line is that of its first word.
    const joined = blank(prose, TERMS).replace(/\n\s*(?:\*(?!\/)|\/\/)? ?/g, (gap) => ' '.repeat(gap.length));
    for (const [pattern, advice] of BANNED) {
      for (const { 0: phrase, index } of joined.matchAll(new RegExp(pattern, `${pattern.flags}g`))) {
        const line = text.slice(0, offset + index).split('\n').length;
        findings.push(`${file}:${line}: "${phrase.trim()}": ${advice}`);
      }
    }
  }
  return findings;
}

const paths = process.argv.slice(2);
const files = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...paths],
  {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  },
).split('\n');
const findings = files
  .filter((file) => SOURCES.test(file) && !GENERATED.test(file))
  .filter((file) => existsSync(path.join(root, file)))
  .flatMap(checkFile);
for (const finding of findings) console.log(finding);
console.log(`prose: ${findings.length} findings`);
process.exitCode = findings.length === 0 ? 0 : 1;
