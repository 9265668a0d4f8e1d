import express from 'express';
import { bearer, leanApp } from './bearer.ts';
import { listen } from './listen.ts';

/** Express with authentication and an empty handler: the minimal cost of any service like this. */
const app = leanApp();
app.use(bearer);
app.get('/v1/store/orders/:orderId', (_req, res) => void res.json({}));
app.delete('/v1/store/orders/:orderId', (_req, res) => void res.status(204).end());
app.post('/v1/store/orders', express.json(), (_req, res) => void res.status(201).end());
app.put('/v1/store/orders/:orderId/shipment', express.json(), (_req, res) => void res.end());
listen(app);
