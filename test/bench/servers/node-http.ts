import { listen } from './listen.ts';

/** The least that Node can do: 204, whatever is asked. */
listen((_req, res) => {
  res.statusCode = 204;
  res.end();
});
