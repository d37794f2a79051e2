import { splitEndpoint } from './webhook-endpoint.ts';

export type RouteMatch<T> = { value: T; params: Record<string, string> };

type Branch<T> = {
  fixed: Map<string, Branch<T>>;
  parameter: Branch<T> | null;
  /** Routes that end at this node, by method, with the parameter names in order. */
  ends: Map<string, { value: T; names: string[] }>;
};

/**
 * An in-memory index of routes by method and path. A fixed segment takes precedence over a parameter. A
 * lookup takes two map accesses for paths without parameters; otherwise at most as many steps as there are
 * routes with the same prefix.
 */
export class WebhookRouter<T> {
  /** By method, then by path. */
  readonly #fixed = new Map<string, Map<string, T>>();
  readonly #root: Branch<T> = emptyBranch();
  #withParameters = 0;

  add(method: string, endpoint: string, value: T): void {
    const segments = splitEndpoint(endpoint);
    if (!segments.some((segment) => segment.startsWith(':'))) {
      const paths = this.#fixed.get(method) ?? new Map<string, T>();
      this.#fixed.set(method, paths.set(segments.join('/'), value));
      return;
    }
    const names: string[] = [];
    let at = this.#root;
    for (const segment of segments) {
      if (segment.startsWith(':')) {
        names.push(segment.slice(1));
        at.parameter ??= emptyBranch();
        at = at.parameter;
      } else {
        const next = at.fixed.get(segment) ?? emptyBranch<T>();
        at.fixed.set(segment, next);
        at = next;
      }
    }
    at.ends.set(method, { value, names });
    this.#withParameters++;
  }

  /** Removes a route, unless its path has become that of another value. */
  remove(method: string, endpoint: string, value: T): void {
    const segments = splitEndpoint(endpoint);
    const paths = this.#fixed.get(method);
    const fixed = paths?.get(segments.join('/'));
    if (fixed !== undefined) {
      if (fixed === value) paths!.delete(segments.join('/'));
      return;
    }
    const trail: { branch: Branch<T>; segment: string }[] = [];
    let at = this.#root;
    for (const segment of segments) {
      const next = segment.startsWith(':') ? at.parameter : at.fixed.get(segment);
      if (next === null || next === undefined) return;
      trail.push({ branch: at, segment });
      at = next;
    }
    if (at.ends.get(method)?.value !== value) return;
    at.ends.delete(method);
    this.#withParameters--;
    for (const { branch, segment } of trail.reverse()) {
      if (at.ends.size > 0 || at.fixed.size > 0 || at.parameter !== null) return;
      if (segment.startsWith(':')) branch.parameter = null;
      else branch.fixed.delete(segment);
      at = branch;
    }
  }

  /**
   * `path` has no leading or trailing slash and is as encoded in the URL; returned parameters are decoded.
   */
  find(method: string, path: string): RouteMatch<T> | null {
    const exact = this.#fixed.get(method)?.get(path);
    if (exact !== undefined) return { value: exact, params: {} };
    return this.#withParameters === 0 ? null : this.#search(method, path.split('/'));
  }

  #search(method: string, segments: readonly string[]): RouteMatch<T> | null {
    type Step = { branch: Branch<T>; depth: number; values: readonly string[] };
    const open: Step[] = [{ branch: this.#root, depth: 0, values: [] }];
    for (let step = open.pop(); step !== undefined; step = open.pop()) {
      const { branch, depth, values } = step;
      const segment = segments[depth];
      if (segment === undefined) {
        const end = branch.ends.get(method);
        const params = end === undefined ? null : readParams(end.names, values);
        if (end !== undefined && params !== null) return { value: end.value, params };
        continue;
      }
      // The last one pushed is tried first: the fixed segment before the parameter.
      if (branch.parameter !== null && segment !== '') {
        open.push({ branch: branch.parameter, depth: depth + 1, values: [...values, segment] });
      }
      const next = branch.fixed.get(segment);
      if (next !== undefined) open.push({ branch: next, depth: depth + 1, values });
    }
    return null;
  }
}

function emptyBranch<T>(): Branch<T> {
  return { fixed: new Map(), parameter: null, ends: new Map() };
}

/** Returns null when a value is not valid percent-encoding: such a path matches no route. */
function readParams(names: readonly string[], values: readonly string[]): Record<string, string> | null {
  try {
    return Object.fromEntries(names.map((name, i) => [name, decodeURIComponent(values[i] ?? '')]));
  } catch {
    return null;
  }
}
