import { text } from 'node:stream/consumers';
import { sql } from '../postgres/sql.ts';

/** Runs the SQL on standard input in the database that is named. */
await sql(process.argv[2] as string, await text(process.stdin));
