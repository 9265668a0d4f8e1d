import { leanApp } from './bearer.ts';
import { listen } from './listen.ts';

/** A minimal Express server: a route with a parameter, answered with 204. */
const app = leanApp();
app.delete('/v1/store/orders/:orderId', (_req, res) => void res.status(204).end());
listen(app);
