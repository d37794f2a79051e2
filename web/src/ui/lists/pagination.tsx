import { ChevronLeft, ChevronRight } from 'lucide-react';
import type { Pagination as PageInfo } from 'weft-client';
import { Button } from '../button.tsx';
import { locale, t } from '../../i18n/index.ts';

const number = new Intl.NumberFormat(locale);

/** The position in a list, with buttons for the previous and next page. */
export function Pagination({ pageInfo, onPage }: { pageInfo: PageInfo; onPage: (page: number) => void }) {
  const { page, limit, total, total_pages } = pageInfo;
  if (total === 0) return null;
  const first = (page - 1) * limit + 1;
  const last = Math.min(page * limit, total);
  return (
    <nav className="pagination" aria-label={t('Pages')}>
      <span className="numbers" aria-live="polite">
        {first > total
          ? t('No items on page {{page}} of {{total}}', { page, total: number.format(total) })
          : t('{{first}}–{{last}} of {{total}}', {
              first: number.format(first),
              last: number.format(last),
              total: number.format(total),
            })}
      </span>
      {total_pages > 1 && (
        <span className="row">
          <Button
            size="small"
            disabled={page <= 1}
            icon={<ChevronLeft size={14} />}
            onClick={() => onPage(Math.min(page - 1, total_pages))}
          >
            {t('Previous')}
          </Button>
          <Button size="small" disabled={page >= total_pages} onClick={() => onPage(page + 1)}>
            {t('Next')} <ChevronRight size={14} />
          </Button>
        </span>
      )}
    </nav>
  );
}
