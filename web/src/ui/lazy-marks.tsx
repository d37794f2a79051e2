import { createStore, useStore } from '../data/store.ts';
import { createMark, type Mark } from './brand-marks.tsx';

/**
 * Marks whose paths are loaded when the first one is displayed. Until then, and for services without a mark,
 * `fallback` is displayed.
 */
export function createLazyMarks(
  load: () => Promise<Readonly<Record<string, string>>>,
): (service: string, fallback: Mark) => Mark {
  const loaded = createStore<Readonly<Record<string, Mark>>>({});
  let isRequested = false;

  function request(): void {
    if (isRequested) return;
    isRequested = true;
    load()
      .then((paths) => {
        loaded.set(Object.fromEntries(Object.entries(paths).map(([id, path]) => [id, createMark(path)])));
      })
      .catch(() => {
        // The fallback stays; the next display tries again.
        isRequested = false;
      });
  }

  function create(service: string, Fallback: Mark): Mark {
    return function ServiceMark(props) {
      request();
      const marks = useStore(loaded);
      const Shown = Object.hasOwn(marks, service) ? marks[service]! : Fallback;
      return <Shown {...props} />;
    };
  }

  // A component of its own for each service, which stays the same.
  const created = new Map<string, Mark>();
  return (service, fallback) => {
    let mark = created.get(service);
    if (mark === undefined) created.set(service, (mark = create(service, fallback)));
    return mark;
  };
}
