import { Link } from 'wouter';
import { t } from '../i18n/index.ts';

/** The logo: three warp threads and the weft that crosses them. */
export function Mark() {
  return (
    <svg className="brand__mark" viewBox="0 0 24 24" fill="none" strokeLinecap="round" aria-hidden="true">
      <path className="brand__warp" d="M6 3v18M12 3v6M12 15v6M18 3v18" strokeWidth="2.25" />
      <path className="brand__weft" d="M2 12h1.2M8.8 12h6.4M20.8 12H22" strokeWidth="2.75" />
    </svg>
  );
}

export function Brand() {
  return (
    <Link href="/" className="brand" aria-label={t('Weft home')}>
      <Mark />
      <span className="brand__word" aria-hidden="true">
        Weft
      </span>
    </Link>
  );
}
