import { storeCopyContract } from '../contract/store-copy.ts';
import { sqlitePlace } from '../support/copy-places.ts';

storeCopyContract(
  'from SQLite to SQLite',
  () => sqlitePlace(),
  () => sqlitePlace(),
);
