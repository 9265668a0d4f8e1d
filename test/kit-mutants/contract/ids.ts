import { bare, cancelling, type Fault, fail, reading, type Watched } from './faulty.ts';

/** Faults of ids. */

const NOT_THERE = 404;

/** Changes the refusals of cancellations of orders that are not there. */
function missing(change: (exchange: Watched) => void): NonNullable<Fault['http']> {
  return (app) =>
    cancelling(app, (exchange) => {
      if (exchange.status === NOT_THERE) change(exchange);
    });
}

const parsed = (text: string) => `${Number.parseInt(decodeURIComponent(text), 10)}`;

export const IDS: readonly Fault[] = [
  { name: '12x cancels 12', http: reading((text) => text.replace(/^(\d+)x.*/, '$1')) },
  { name: 'x12 cancels 12', http: reading((text) => text.replace(/^x(\d+)/, '$1')) },
  {
    name: 'the digits of any text are an id',
    http: reading((text) => /\d+/.exec(text)?.[0] ?? text),
  },
  { name: 'an id is read up to the first other character', http: reading(parsed) },
  {
    name: 'an id is read up to a null character',
    http: reading((text) => text.replace(/%00.*/, '')),
  },
  { name: 'an id is read up to a space', http: reading((text) => text.replace(/%20.*/, '')) },
  { name: '12-1 cancels 12', http: reading((text) => text.replace(/^(\d+)-.*/, '$1')) },
  {
    name: 'ids are read modulo 2^64',
    http: reading((text) => {
      return /^-?\d+$/.test(text) ? `${BigInt.asIntN(64, BigInt(text))}` : text;
    }),
  },
  {
    name: 'ids below -2^63 are read modulo 2^64',
    http: reading((text) => {
      return /^-\d+$/.test(text) ? `${BigInt.asIntN(64, BigInt(text))}` : text;
    }),
  },
  {
    name: 'ids are read modulo 2^32',
    http: reading((text) => (/^-?\d+$/.test(text) ? `${BigInt.asIntN(32, BigInt(text))}` : text)),
  },
  {
    name: 'ids are read modulo 2^53',
    http: reading((text) => (/^-?\d+$/.test(text) ? `${BigInt.asUintN(53, BigInt(text))}` : text)),
  },
  { name: 'the sign of an id is lost', http: reading((text) => text.replace(/^-(\d+)$/, '$1')) },
  {
    name: 'the cancellation of an absent order is a 204',
    http: missing((exchange) => bare(exchange, 204)),
  },
  {
    name: 'the cancellation of an absent order is a 400',
    http: missing((exchange) => fail(exchange, 400, 'invalid_request')),
  },
  {
    name: 'the cancellation of an absent order is a 409',
    http: missing((exchange) => fail(exchange, 409, 'conflict')),
  },
  {
    name: 'the cancellation of an absent order is a 410',
    http: missing((exchange) => fail(exchange, 410, 'gone')),
  },
  {
    name: 'the cancellation of an absent order is a 500',
    http: missing((exchange) => fail(exchange, 500, 'internal_error')),
  },
  {
    name: 'the cancellation of an absent order is a 200 with the error',
    http: missing((exchange) => {
      exchange.status = 200;
    }),
  },
  { name: 'a 404 has no body', http: missing((exchange) => bare(exchange, 404)) },
  {
    name: 'a 404 is a text',
    http: missing((exchange) => {
      exchange.body = 'Not Found';
      exchange.headers['content-type'] = 'text/plain';
    }),
  },
  {
    name: 'a 404 has another status in its body',
    http: missing((exchange) => {
      exchange.body = exchange.body.replace('404', '0');
    }),
  },
  {
    name: 'a 404 has a number as its code',
    http: missing((exchange) => {
      exchange.body = exchange.body.replace('"order_not_found"', '404');
    }),
  },
  {
    name: 'a negative id is a 400',
    http: missing((exchange) => {
      if (exchange.id.startsWith('-')) fail(exchange, 400, 'invalid_request');
    }),
  },
  {
    name: 'the id 0 is a 400',
    http: missing((exchange) => {
      if (exchange.id === '0') fail(exchange, 400, 'invalid_request');
    }),
  },
  {
    name: 'an id beyond 2^53 is a 400',
    http: missing((exchange) => {
      if (Number(exchange.id) > Number.MAX_SAFE_INTEGER) fail(exchange, 400, 'invalid_request');
    }),
  },
  {
    name: 'the highest id is a 500',
    http: missing((exchange) => {
      if (exchange.id === '9223372036854775807') fail(exchange, 500, 'internal_error');
    }),
  },
  {
    name: 'the lowest id is a 204',
    http: missing((exchange) => {
      if (exchange.id === '-9223372036854775808') bare(exchange, 204);
    }),
  },
];
