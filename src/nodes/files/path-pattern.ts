import { compileRegex } from '../../lib/text/regex.ts';

/**
 * Creates a function that tests a path against a pattern: `*` is any text within a folder, `?` one character,
 * and `**` any folders. It takes linear time.
 */
export function compilePathPattern(pattern: string): (path: string) => boolean {
  const source = pattern.replaceAll(/\*\*\/|\*\*|\*|\?|[^*?]+/g, (part) => {
    switch (part) {
      case '**/':
        return '(?:.*/)?';
      case '**':
        return '.*';
      case '*':
        return '[^/]*';
      case '?':
        return '[^/]';
      default:
        return part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
    }
  });
  const regex = compileRegex(`^(?:${source})$`);
  return (path) => regex.test(path);
}
