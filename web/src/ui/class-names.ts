/** Joins the arguments that are strings; ignores all others. */
export function joinClassNames(...names: (string | false | null | undefined)[]): string {
  return names.filter((name) => typeof name === 'string' && name !== '').join(' ');
}
