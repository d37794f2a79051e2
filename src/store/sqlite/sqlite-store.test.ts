import { storeSuite } from '../store.suite.ts';
import { temporaryStore } from './temporary-store.ts';

storeSuite('SQLite', temporaryStore);
