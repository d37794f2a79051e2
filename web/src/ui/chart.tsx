import { useEffect, useMemo, useRef, type MouseEvent } from 'react';
import uPlot from 'uplot';
import { theme } from '../data/theme.ts';
import { useStore } from '../data/store.ts';
import { joinClassNames } from './class-names.ts';
import { locale } from '../i18n/index.ts';

export type Series = {
  readonly name: string;
  /** A color token, such as `--accent`. */
  readonly color: string;
  readonly values: readonly (number | null)[];
};

const HEIGHT_PX = 116;

const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' });

/** The value of a token in the current theme: a canvas cannot use custom properties. */
function resolveColor(element: HTMLElement, token: string, alpha = 1): string {
  element.style.color = `color-mix(in srgb, var(${token}) ${alpha * 100}%, transparent)`;
  const { color } = getComputedStyle(element);
  element.style.color = '';
  return color;
}

/** What a chart over fixed intervals needs besides its values. */
export type ChartIntervals = {
  /** Start and end of the time axis, seconds since the epoch. */
  readonly span: readonly [from: number, to: number];
  readonly formatTime: (seconds: number) => string;
  /** The pointed interval, shared by several charts; null: none. */
  readonly pointed: number | null;
  readonly onPoint: (index: number | null) => void;
  readonly onChoose: (index: number) => void;
};

type ChartProps = {
  label: string;
  /** Seconds since the epoch. */
  times: readonly number[];
  series: readonly Series[];
  format: (value: number) => string;
  /** `bars`: the series are stacked, the first at the bottom. */
  kind?: 'lines' | 'bars';
  /** The end of the value axis; without it, it follows the values. */
  most?: number;
  intervals?: ChartIntervals;
};

const LINE_ALPHA = 0.08;
const BAR_WIDTH = 0.8;
const MAX_BAR_PIXELS = 64;

/** The values as drawn: stacked bars are drawn over each other, the highest first. */
function drawn(series: readonly Series[], kind: 'lines' | 'bars'): readonly Series[] {
  if (kind === 'lines') return series;
  const sums: Series[] = [];
  for (const one of series) {
    const below = sums.at(-1)?.values;
    const values = one.values.map((value, i) => (value ?? 0) + (below?.[i] ?? 0));
    sums.push({ ...one, values });
  }
  return sums.toReversed();
}

/**
 * A chart over time, drawn by uPlot. `label` describes it; add a table with the figures. With `intervals`,
 * the pointer highlights an interval and a click selects it.
 */
export function Chart({ label, times, series, format, kind = 'lines', most, intervals }: ChartProps) {
  const location = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const selectedTheme = useStore(theme);
  const layers = useMemo(() => drawn(series, kind), [series, kind]);
  const data = useMemo(
    () => [times, ...layers.map(({ values }) => values)] as uPlot.AlignedData,
    [times, layers],
  );
  const latest = useRef({ data, layers, intervals });
  latest.current = { data, layers, intervals };
  const shape = layers.map(({ name, color }) => `${name} ${color}`).join();
  const hasIntervals = intervals !== undefined;

  useEffect(() => {
    const element = location.current;
    if (element === null) return;
    const draw = (): void => {
      chart.current?.destroy();
      const axis: uPlot.Axis = {
        stroke: resolveColor(element, '--ink-faint'),
        font: '11px "Inter Variable", system-ui, sans-serif',
        grid: { stroke: resolveColor(element, '--line'), width: 1 },
        ticks: { show: false },
      };
      const formatLabel = (seconds: number): string =>
        latest.current.intervals?.formatTime(seconds) ?? clock.format(seconds * 1_000);
      chart.current = new uPlot(
        {
          width: Math.max(120, element.clientWidth),
          height: HEIGHT_PX,
          legend: { show: false },
          cursor: hasIntervals
            ? { y: false, drag: { x: false, y: false }, points: { show: false } }
            : { show: false },
          hooks: {
            setCursor: [
              ({ cursor }: uPlot) => {
                const index = cursor.left === undefined || cursor.left < 0 ? null : (cursor.idx ?? null);
                if (index !== latest.current.intervals?.pointed) latest.current.intervals?.onPoint(index);
              },
            ],
          },
          // The last label of the time axis is centered below the end of the axis.
          padding: [6, hasIntervals ? 20 : 4, 0, 0],
          scales: {
            ...(hasIntervals && {
              x: { range: () => [...latest.current.intervals!.span] as uPlot.Range.MinMax },
            }),
            y: { range: (_, __, max) => [0, most ?? Math.max(1, max * 1.15)] },
          },
          axes: [
            {
              ...axis,
              grid: { show: false },
              size: 24,
              space: 80,
              // Before there are two points the axis shows arbitrary times.
              values: ({ data: [times] }, splits) =>
                splits.map((split) => ((times?.length ?? 0) < 2 ? '' : formatLabel(split))),
            },
            { ...axis, size: 52, space: 28, values: (_, splits) => splits.map((value) => format(value)) },
          ],
          series: [
            {},
            ...latest.current.layers.map(({ name, color }) => ({
              label: name,
              stroke: resolveColor(element, color),
              ...(kind === 'bars'
                ? {
                    fill: resolveColor(element, color),
                    width: 0,
                    paths: uPlot.paths.bars!({ size: [BAR_WIDTH, MAX_BAR_PIXELS] }),
                    points: { show: false },
                  }
                : {
                    fill: resolveColor(element, color, LINE_ALPHA),
                    width: 1.5,
                    spanGaps: hasIntervals,
                    // One point is not a line.
                    points: { show: (plot: uPlot, i: number) => countValues(plot.data[i]) < 2, size: 6 },
                  }),
            })),
          ],
        },
        latest.current.data,
        element,
      );
    };
    draw();
    const size = new ResizeObserver(() =>
      chart.current?.setSize({ width: Math.max(120, element.clientWidth), height: HEIGHT_PX }),
    );
    size.observe(element);
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', draw);
    return () => {
      size.disconnect();
      system.removeEventListener('change', draw);
      chart.current?.destroy();
      chart.current = null;
    };
    // Colors are read on creation, so a new theme recreates the chart; new values only update it.
  }, [selectedTheme, shape, format, kind, most, hasIntervals]);

  useEffect(() => chart.current?.setData(data), [data]);

  const pointed = intervals?.pointed ?? null;
  useEffect(() => {
    const plot = chart.current;
    if (plot === null || !hasIntervals) return;
    const time = pointed === null ? undefined : times[pointed];
    plot.setCursor({ left: time === undefined ? -10 : plot.valToPos(time, 'x'), top: 0 }, false);
  }, [pointed, times, hasIntervals]);

  // By the position of the click: a tap moves the cursor only afterwards.
  const choose = ({ clientX }: MouseEvent): void => {
    const plot = chart.current;
    if (plot === null || intervals === undefined) return;
    const index = plot.posToIdx(clientX - plot.over.getBoundingClientRect().left);
    intervals.onChoose(index);
  };
  return (
    <div
      className={joinClassNames('chart', hasIntervals && 'chart--intervals')}
      ref={location}
      role="img"
      aria-label={label}
      onClick={choose}
    />
  );
}

function countValues(values: ArrayLike<number | null | undefined> | undefined): number {
  let count = 0;
  for (let i = 0; i < (values?.length ?? 0); i++) if (values![i] != null) count++;
  return count;
}
