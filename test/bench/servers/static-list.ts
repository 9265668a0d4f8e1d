import { readFileSync } from 'node:fs';
import { listen } from './listen.ts';

/** Sends the same bytes to every client, which is the upper bound for any list. */
const [file = '', encoding] = process.argv.slice(2);
const body = readFileSync(file);
const headers = {
  'Content-Type': 'application/json; charset=utf-8',
  'Content-Length': body.length,
  ...(encoding === undefined ? {} : { 'Content-Encoding': encoding }),
};
listen((_req, res) => {
  res.writeHead(200, headers);
  res.end(body);
});
