import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import type { RequestContext } from '../../../src/http/request-context.ts';
import { SlowRequests } from '../../../src/http/slow-requests.ts';

const lines: Record<string, unknown>[] = [];
const logger = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
let nowMs = 0;
const slowRequests = () => new SlowRequests(logger, 1_000, () => nowMs);

beforeEach(() => {
  lines.length = 0;
  nowMs = 0;
});

function request(times: Partial<RequestContext>): RequestContext {
  return {
    requestId: 'r',
    operation: 'v1 cancelOrder',
    req: { headers: {} },
    status: 204,
    submittedAtMs: 0,
    sentAtMs: 0,
    answeredAtMs: 0,
    bodyMs: 0,
    permitMs: 0,
    catchUpMs: 0,
    ...times,
  } as RequestContext;
}

/** Returns the members of the only line that are times. */
function times() {
  expect(lines).toHaveLength(1);
  const [{ durationMs, bodyMs, queueMs, commitMs, catchUpMs, otherMs, writeMs } = {}] = lines;
  return { durationMs, bodyMs, queueMs, commitMs, catchUpMs, otherMs, writeMs };
}

describe('the line of a slow request divides its time', () => {
  it('if a command was recorded, and the list caught up with it', () => {
    const shipped = request({
      bodyMs: 7,
      submittedAtMs: 1_010,
      sentAtMs: 1_310.04,
      catchUpMs: 20,
      answeredAtMs: 2_400,
    });
    slowRequests().log(shipped, 1_000, 2_500);
    expect(times()).toEqual({
      durationMs: 1_500,
      bodyMs: 7,
      queueMs: 300,
      commitMs: 1_070,
      catchUpMs: 20,
      otherMs: 3,
      writeMs: 100,
    });
    expect(lines[0]).toMatchObject({ level: 40, requestId: 'r', status: 204, msg: 'slow request' });
  });

  it('if its command was refused in the queue', () => {
    const refused = request({ submittedAtMs: 10, answeredAtMs: 1_011 });
    slowRequests().log(refused, 0, 1_012);
    expect(times()).toMatchObject({ queueMs: 1_001, commitMs: 0, otherMs: 10, writeMs: 1 });
  });

  it('if it was a long read', () => {
    slowRequests().log(request({ permitMs: 800, catchUpMs: 300, answeredAtMs: 1_500 }), 0, 9_500);
    expect(times()).toMatchObject({
      queueMs: 800,
      commitMs: 0,
      catchUpMs: 300,
      otherMs: 400,
      writeMs: 8_000,
    });
  });

  it('if it ended without an answer', () => {
    slowRequests().log(request({ bodyMs: 5_000 }), 0, 5_001);
    expect(times()).toMatchObject({ bodyMs: 5_000, otherMs: 1, writeMs: 0 });
  });

  it.each([
    ['bodyMs', 'bodyMs'],
    ['permitMs', 'queueMs'],
    ['catchUpMs', 'catchUpMs'],
  ] as const)('if its client left during %s', (wait, shown) => {
    // It began at 1,010 ms.
    slowRequests().log(request({ [wait]: -1_010 }), 1_000, 3_000);
    expect(times()).toMatchObject({ [shown]: 1_990, otherMs: 10, writeMs: 0 });
  });
});

it('has the id of the trace', () => {
  const [traceId, spanId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
  const headers = { traceparent: `00-${traceId}-${spanId}-01` };
  slowRequests().log(request({ req: { headers } as unknown as RequestContext['req'] }), 0, 2_000);
  expect(lines[0]).toMatchObject({ traceId });
});

it('is omitted after a burst, and the next line has the number of omitted ones', () => {
  const slow = slowRequests();
  for (let n = 0; n < 25; n++) slow.log(request({}), 0, 1_000);
  expect(lines).toHaveLength(10);
  nowMs = 999;
  slow.log(request({}), 0, 1_000);
  expect(lines).toHaveLength(10);
  nowMs = 2_000;
  slow.log(request({}), 0, 1_000);
  slow.log(request({}), 0, 1_000);
  expect(lines.map(({ omitted }) => omitted)).toEqual([
    ...Array.from({ length: 10 }, () => undefined),
    16,
    undefined,
  ]);
});

it('is never written if nothing is slow', () => {
  expect(new SlowRequests(logger, 0).minMs).toBe(Number.POSITIVE_INFINITY);
});
