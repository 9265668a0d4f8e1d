import { listen } from './listen.ts';

/** A minimal Node server: 204 for every request. */
listen((_req, res) => {
  res.statusCode = 204;
  res.end();
});
