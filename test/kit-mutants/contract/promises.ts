import { requestsIn, type Submission } from '../../../src/app/log/submission.ts';
import { changingAnswers, changingBodies, changingRequests, type Exchange } from '../faults.ts';
import { CONDITIONS } from './conditions.ts';
import { bare, type Fault, fail, reading, since, watching } from './faulty.ts';
import { FILTERED_LISTS } from './filtered-lists.ts';
import { PROMISED_FORMS } from './forms.ts';

/** Faults against promises that only this service makes: the contract is silent about them. */

function answers(
  isHit: (exchange: Exchange) => boolean,
  change: (exchange: Exchange) => void,
): NonNullable<Fault['http']> {
  return (app) =>
    changingAnswers(app, (exchange) => {
      if (isHit(exchange)) change(exchange);
    });
}

const isPlaced = ({ method, status }: Exchange) => method === 'POST' && status === 201;

/** Accepts what the application refuses for one property, as if it were right. */
function accepting(method: string, property: string): NonNullable<Fault['http']> {
  return answers(
    (exchange) =>
      exchange.method === method && exchange.status === 400 && exchange.body.includes(property),
    (exchange) => {
      exchange.status = method === 'POST' ? 201 : 200;
      exchange.body = '{"id":1,"petId":7,"quantity":1,"complete":true}';
    },
  );
}

/** Reads the Idempotency-Keys of requests as other ones; `undefined` omits one. */
function keysRead(as: (key: string) => string | undefined): NonNullable<Fault['http']> {
  return (app) =>
    changingRequests(app, ({ headers }) => {
      const key = headers['idempotency-key'];
      if (typeof key === 'string') headers['idempotency-key'] = as(key);
    });
}

/** Reads a repeated Idempotency-Key as a new one, if something is true of its first request. */
function forgetting(
  isForgotten: (first: { number: number; seenAt: number }) => boolean,
): NonNullable<Fault['http']> {
  const known = new Map<string, { number: number; seenAt: number }>();
  return keysRead((key) => {
    const first = known.get(key);
    if (first !== undefined) return isForgotten(first) ? `${key}-again` : key;
    known.set(key, { number: known.size + 1, seenAt: performance.now() });
    return key;
  });
}

type Request = readonly Submission[];

/** Takes a request for the first one under its Idempotency-Key, if they are alike. */
function taking(
  isAlike: (asked: Request, first: Request) => boolean,
): NonNullable<Fault['writer']> {
  return readingAs((asked, first) => {
    if (asked.length !== first.length || !isAlike(asked, first)) return asked;
    return asked.map((each, index) => ({
      ...each,
      command: first[index]?.command ?? each.command,
    }));
  });
}

/** Reads a request as another one, which may be in part the first one under its Idempotency-Key. */
function readingAs(as: (asked: Request, first: Request) => Request): NonNullable<Fault['writer']> {
  return (writer) => {
    const firsts = new Map<string, Request>();
    const read = (asked: Request): Request => {
      const key = asked[0]?.idempotencyKey;
      if (key === undefined) return asked;
      const first = firsts.get(key) ?? asked;
      firsts.set(key, first);
      return as(asked, first);
    };
    return { execute: (batch) => writer.execute([...requestsIn(batch)].flatMap(read)) };
  };
}

/** Takes requests for the same that differ in one member of their command, or do not once it is read. */
function without(
  member: string,
  read: (value: unknown) => unknown = () => undefined,
): NonNullable<Fault['writer']> {
  const textOf = ([first]: Request) => {
    return JSON.stringify(first?.command, (name, value) => {
      if (name === member) return read(value);
      return typeof value === 'bigint' ? `${value}` : value;
    });
  };
  return taking((asked, first) => asked.length === 1 && textOf(asked) === textOf(first));
}

export const IDEMPOTENCY: readonly Fault[] = [
  { name: 'Idempotency-Keys are ignored', http: keysRead(() => undefined) },
  {
    name: 'all requests have one Idempotency-Key',
    // The check that meets it depends on the request that was the first under the key.
    comesByChance: true,
    http: keysRead(() => 'one'),
  },
  {
    name: 'Idempotency-Keys have no capital letters',
    http: keysRead((key) => key.toLowerCase()),
  },
  {
    name: 'the first 32 characters of an Idempotency-Key count',
    http: keysRead((key) => key.slice(0, 32)),
  },
  {
    name: 'the last 32 characters of an Idempotency-Key count',
    http: keysRead((key) => key.slice(-32)),
  },
  {
    name: 'the first character of an Idempotency-Key does not count',
    http: keysRead((key) => key.slice(1)),
  },
  {
    name: 'Idempotency-Keys are trimmed of dots',
    http: keysRead((key) => key.replace(/\.+$/, '')),
  },
  {
    name: 'Idempotency-Keys are read without their quotes',
    http: keysRead((key) => key.replaceAll('"', '')),
  },
  {
    name: 'of an Idempotency-Key, only letters and digits count',
    http: keysRead((key) => key.replaceAll(/\W/g, '')),
  },
  ...(['petId', 'quantity', 'shipDate', 'orderId'] as const).map((member) => ({
    name: `a request with another ${member} is the same under an Idempotency-Key`,
    writer: without(member),
  })),
  {
    name: 'a request with another If-Match is the same under an Idempotency-Key',
    writer: readingAs((asked, first) => {
      return asked.map((each, index) => ({ ...each, onlyIf: first[index]?.onlyIf }));
    }),
  },
  {
    name: 'an Idempotency-Key that is too long is cut off',
    http: keysRead((key) => key.slice(0, 255)),
  },
  {
    name: 'an Idempotency-Key that is none is ignored',
    http: keysRead((key) => (/^[!-~]+$/.test(key) ? key : undefined)),
  },
  {
    name: 'an Idempotency-Key may have any letters',
    http: keysRead(encodeURI),
  },
  {
    name: 'a request with another last digit of petId is the same under an Idempotency-Key',
    writer: without('petId', Number),
  },
  {
    name: 'any command is the same as a cancellation under an Idempotency-Key',
    writer: taking((...both) => both.some(([one]) => one?.command.type === 'CancelOrder')),
  },
  {
    name: 'a batch of other items is the same under an Idempotency-Key',
    writer: taking(([one]) => one?.group !== undefined),
  },
  {
    name: 'of requests at once under an Idempotency-Key, each is carried out',
    http(app) {
      const underWay = new Map<string, number>();
      return (req, res) => {
        const key = req.headers['idempotency-key'];
        if (typeof key === 'string') {
          const others = underWay.get(key) ?? 0;
          underWay.set(key, others + 1);
          res.on('close', () => underWay.set(key, (underWay.get(key) ?? 1) - 1));
          if (others > 0) req.headers['idempotency-key'] = `${key}-${others}`;
        }
        app(req, res);
      };
    },
  },
  {
    name: 'a placement repeated under an Idempotency-Key is answered with the order as it is',
    http: (app) =>
      watching(app, (exchange) => {
        if (!isPlaced(exchange) || exchange.before?.shippedAt === undefined) return;
        exchange.body = exchange.body.replace('"complete":false', '"complete":true');
      }),
  },
  {
    name: 'a placement repeated under an Idempotency-Key has no Location',
    http: (app) =>
      watching(app, (exchange) => {
        if (isPlaced(exchange) && exchange.before) exchange.headers.location = undefined;
      }),
  },
  {
    name: 'a cancellation repeated under an Idempotency-Key is a 404',
    http: (app) =>
      watching(app, (exchange) => {
        const { method, request, before } = exchange;
        const isNamed = request.headers['idempotency-key'] !== undefined;
        if (method !== 'DELETE' || exchange.status !== 204) return;
        if (isNamed && before?.cancelledAt) fail(exchange, 404, 'order_not_found');
      }),
  },
  {
    name: 'every 50th Idempotency-Key is forgotten',
    http: forgetting(({ number }) => number % 50 === 0),
  },
  {
    name: 'Idempotency-Keys are forgotten after two seconds',
    comesByChance: true,
    http: forgetting(({ seenAt }) => since(seenAt) > 2_000),
  },
  {
    name: 'another request under an Idempotency-Key gets the answer of the first',
    http(app) {
      const answers = new Map<string, string>();
      return changingAnswers(app, (exchange) => {
        const key = exchange.request.headers['idempotency-key'];
        if (exchange.method !== 'POST' || typeof key !== 'string') return;
        if (exchange.status === 201) answers.set(key, exchange.body);
        if (exchange.status !== 422) return;
        exchange.status = 201;
        exchange.body = answers.get(key) ?? '';
      });
    },
  },
];

/** Executes the commands of some groups in another way. */
function groups(
  isHit: (request: Request) => boolean,
  change: (request: Request) => Request,
): NonNullable<Fault['writer']> {
  return (writer) => ({
    execute: (batch) => {
      const requests = [...requestsIn(batch)];
      // Under a key it would be another request.
      const isUnnamed = (each: Request) => each[0]?.idempotencyKey === undefined;
      return writer.execute(
        requests.flatMap((each) => (isUnnamed(each) && isHit(each) ? change(each) : each)),
      );
    },
  });
}

const BATCHES: readonly Fault[] = [
  {
    name: 'an atomic batch is carried out in part',
    writer: groups(
      ([first]) => first?.group?.isAtomic === true,
      ([first, ...others]) => {
        const { group } = first ?? {};
        return first && group
          ? [{ ...first, group: { ...group, isAtomic: false } }, ...others]
          : [];
      },
    ),
  },
  {
    name: 'the last item of a batch is not carried out',
    writer: groups(
      ([first, ...others]) => first?.group !== undefined && others.length > 0,
      (request) => [...request.slice(0, -1), { ...(request[0] as Submission), group: undefined }],
    ),
  },
  {
    name: 'a batch with a malformed item is carried out without it',
    http: (app) =>
      changingBodies(app, (body) => body.replace(/,\{"petId":"-?\d+","quantity":0\}/, '')),
  },
];

export const PROMISES: readonly Fault[] = [
  {
    name: 'a new order has no Location',
    http: answers(isPlaced, ({ headers }) => {
      headers.location = undefined;
    }),
  },
  {
    name: 'the Location of a new order is on another host',
    http: answers(isPlaced, ({ headers }) => {
      headers.location = `http://other.example${headers.location}`;
    }),
  },
  {
    name: 'the Location of a new order is that of the list',
    http: answers(isPlaced, ({ headers }) => {
      headers.location = '/v1/store/orders';
    }),
  },
  {
    name: 'a new order is a 200',
    http: answers(isPlaced, (exchange) => {
      exchange.status = 200;
    }),
  },
  { name: 'a quantity of 0 is accepted', http: accepting('POST', 'quantity') },
  { name: 'an animal as a text is accepted', http: accepting('POST', 'petId') },
  { name: 'an order for a 30th of February is accepted', http: accepting('POST', 'shipDate') },
  { name: 'a shipment on a 30th of February is accepted', http: accepting('PUT', 'shipDate') },
  {
    name: 'two shipments at once on two dates succeed',
    http: (app) =>
      watching(app, (exchange) => {
        if (
          exchange.method === 'PUT' &&
          exchange.isRace &&
          exchange.body.includes('already_shipped')
        ) {
          exchange.status = 200;
          exchange.body = `{"id":${exchange.id},"petId":7,"quantity":1,"complete":true}`;
        }
      }),
  },
  {
    name: 'a 409 has no body',
    http: answers(
      ({ status }) => status === 409,
      (exchange) => bare(exchange, 409),
    ),
  },
  {
    name: 'a 405 has no Allow',
    http: answers(
      ({ status }) => status === 405,
      ({ headers }) => {
        headers.allow = undefined;
      },
    ),
  },
  {
    name: 'the list has no ETag',
    http: answers(
      ({ method }) => method === 'GET',
      ({ headers }) => {
        headers.etag = undefined;
      },
    ),
  },
  {
    name: 'an error has another code',
    http: answers(
      ({ status }) => status >= 400,
      (exchange) => {
        exchange.body = exchange.body.replace(/"code":"\w+"/, '"code":"error"');
      },
    ),
  },
  {
    name: 'an id may have leading zeros',
    http: (app) =>
      changingRequests(app, (req) => {
        req.url = req.url?.replace(/orders\/0+(\d)/, 'orders/$1') ?? '';
      }),
  },
  {
    name: 'an id may be hexadecimal',
    http: reading((text) => (/^0x[\da-f]+$/.test(text) ? `${BigInt(text)}` : text)),
  },
  {
    name: 'an id may have underscores between its digits',
    http: reading((text) => {
      return /^\d+(?:_\d+)+$/.test(text) ? `${BigInt(text.replaceAll('_', ''))}` : text;
    }),
  },
  {
    name: 'an id may have Arabic digits',
    http: reading((text) => (text.startsWith('%D9') ? text.replaceAll('%D9%A', '') : text)),
  },
  {
    name: 'an order that is not there is shipped',
    http: answers(
      ({ method, status }) => method === 'PUT' && status === 404,
      (exchange) => fail(exchange, 409, 'order_cancelled'),
    ),
  },
  ...PROMISED_FORMS,
  ...CONDITIONS,
  ...IDEMPOTENCY,
  ...BATCHES,
  ...FILTERED_LISTS,
];
