import { postgresPlace, sqlitePlace } from '../../support/copy-places.ts';
import { storeCopyContract } from '../store-copy.ts';

const inSqlite = () => sqlitePlace();
const inPostgres = () => postgresPlace();
const inNothing = () => postgresPlace('template1');

storeCopyContract('from SQLite to PostgreSQL', inSqlite, inNothing);
storeCopyContract('from PostgreSQL to SQLite', inPostgres, inSqlite);
storeCopyContract('from PostgreSQL to PostgreSQL', inPostgres, inPostgres);
