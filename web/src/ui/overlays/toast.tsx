import { CircleAlert, CircleCheck, Info, TriangleAlert, X } from 'lucide-react';
import { Toast as Radix } from 'radix-ui';
import { createStore, useStore } from '../../data/store.ts';
import { Button, IconButton } from '../button.tsx';
import { joinClassNames } from '../class-names.ts';
import { t } from '../../i18n/index.ts';

export type ToastInput = {
  tone?: 'info' | 'good' | 'warn' | 'bad' | undefined;
  title: string;
  text?: string | undefined;
  /** An action such as Undo. */
  action?: { label: string; run: () => void } | undefined;
  /** ms; default 6 s, longer for errors. */
  life?: number | undefined;
  /** Called when the toast expires or is dismissed, but not when its action is taken. */
  onGone?: (() => void) | undefined;
};

type ShownToast = ToastInput & { id: number };

/** The maximum number of toasts shown; the oldest are removed first. */
const MAX_SHOWN = 4;

const toasts = createStore<readonly ShownToast[]>([]);
let lastId = 0;

export function toast(input: ToastInput): void {
  const next = [...toasts.get(), { ...input, id: ++lastId }];
  for (const gone of next.slice(0, -MAX_SHOWN)) gone.onGone?.();
  toasts.set(next.slice(-MAX_SHOWN));
}

function remove(id: number): void {
  toasts.set(toasts.get().filter((one) => one.id !== id));
}

const ICONS = { info: Info, good: CircleCheck, warn: TriangleAlert, bad: CircleAlert };

/** The toast region, rendered once in the shell. F8 focuses it. */
export function Toasts() {
  const all = useStore(toasts);
  return (
    <Radix.Provider swipeDirection="right" label={t('Notification')}>
      {all.map((one) => {
        const { tone = 'info' } = one;
        const Icon = ICONS[tone];
        return (
          <Radix.Root
            key={one.id}
            className={joinClassNames('toast', `toast--${tone}`)}
            type={tone === 'bad' ? 'foreground' : 'background'}
            duration={one.life ?? (tone === 'bad' ? 12_000 : 6_000)}
            onOpenChange={(open) => {
              if (open) return;
              // An action removes the toast before this is called.
              if (toasts.get().some(({ id }) => id === one.id)) one.onGone?.();
              remove(one.id);
            }}
          >
            <Icon size={16} aria-hidden="true" />
            <div className="toast__body">
              <Radix.Title className="toast__title">{one.title}</Radix.Title>
              {one.text !== undefined && (
                <Radix.Description className="toast__text">{one.text}</Radix.Description>
              )}
            </div>
            {one.action !== undefined && (
              <Radix.Action asChild altText={one.action.label}>
                <Button
                  size="small"
                  onClick={() => {
                    remove(one.id);
                    one.action?.run();
                  }}
                >
                  {one.action.label}
                </Button>
              </Radix.Action>
            )}
            <Radix.Close asChild>
              <IconButton label={t('Dismiss')} size="small" icon={<X size={14} />} />
            </Radix.Close>
          </Radix.Root>
        );
      })}
      <Radix.Viewport className="toasts" />
    </Radix.Provider>
  );
}
