import { t } from '../../i18n/index.ts';

/** The group of the fields that every node has. The panel shows it once, below the form. */
export const GENERAL_GROUP = t('General');
