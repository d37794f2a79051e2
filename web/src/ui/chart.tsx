import { useEffect, useMemo, useRef } from 'react';
import uPlot from 'uplot';
import { theme } from '../data/theme.ts';
import { useStore } from '../data/store.ts';
import { locale } from '../i18n/index.ts';

export type Series = {
  readonly name: string;
  /** A colour token, such as `--accent`. */
  readonly color: string;
  readonly values: readonly (number | null)[];
};

const HEIGHT = 116;

const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' });

/** The value of a token in the current theme: a canvas cannot use custom properties. */
function colorOf(element: HTMLElement, token: string, alpha = 1): string {
  element.style.color = `color-mix(in srgb, var(${token}) ${alpha * 100}%, transparent)`;
  const { color } = getComputedStyle(element);
  element.style.color = '';
  return color;
}

/** A line chart over time, drawn by uPlot. `label` describes it in words; show the figures in a table beside it. */
export function Chart({
  label,
  times,
  series,
  format,
}: {
  label: string;
  /** Seconds since the epoch. */
  times: readonly number[];
  series: readonly Series[];
  format: (value: number) => string;
}) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const chosen = useStore(theme);
  const data = useMemo(
    () => [times, ...series.map(({ values }) => values)] as uPlot.AlignedData,
    [times, series],
  );
  const latest = useRef({ data, series });
  latest.current = { data, series };
  const shape = series.map(({ name, color }) => `${name} ${color}`).join();

  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const draw = (): void => {
      chart.current?.destroy();
      const axis: uPlot.Axis = {
        stroke: colorOf(element, '--ink-faint'),
        font: '11px "Inter Variable", system-ui, sans-serif',
        grid: { stroke: colorOf(element, '--line'), width: 1 },
        ticks: { show: false },
      };
      chart.current = new uPlot(
        {
          width: Math.max(120, element.clientWidth),
          height: HEIGHT,
          legend: { show: false },
          cursor: { show: false },
          padding: [6, 4, 0, 0],
          scales: { y: { range: (_, __, max) => [0, Math.max(1, max * 1.15)] } },
          axes: [
            {
              ...axis,
              grid: { show: false },
              size: 24,
              space: 80,
              // Before there are two points the axis shows arbitrary times.
              values: ({ data: [times] }, splits) =>
                splits.map((at) => ((times?.length ?? 0) < 2 ? '' : clock.format(at * 1_000))),
            },
            { ...axis, size: 52, space: 28, values: (_, splits) => splits.map((value) => format(value)) },
          ],
          series: [
            {},
            ...latest.current.series.map(({ name, color }) => ({
              label: name,
              stroke: colorOf(element, color),
              fill: colorOf(element, color, 0.08),
              width: 1.5,
              // One point is not a line.
              points: { show: (plot: uPlot) => plot.data[0].length < 2, size: 6 },
            })),
          ],
        },
        latest.current.data,
        element,
      );
    };
    draw();
    const size = new ResizeObserver(() =>
      chart.current?.setSize({ width: Math.max(120, element.clientWidth), height: HEIGHT }),
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
    // Colours are read on creation, so a new theme recreates the chart; new values only update it.
  }, [chosen, shape, format]);

  useEffect(() => chart.current?.setData(data), [data]);

  return <div className="chart" ref={place} role="img" aria-label={label} />;
}
