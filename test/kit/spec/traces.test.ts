import { execFile } from 'node:child_process';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { changingAnswers, changingRequests } from '../../kit-mutants/faults.ts';
import { mutatedListener } from '../../kit-mutants/mutated.ts';
import { temporaryFile } from '../../support/folder.ts';
import { listening } from '../../support/listening.ts';
import { isNightly, partByDay } from '../../support/nightly.ts';
import { newDatabase } from '../../support/postgres/databases.ts';
import { newFolder, Service } from '../../support/service.ts';
import {
  decider,
  httpApp,
  memoryApp,
  postgresApp,
  sqliteServerApp,
} from '../../support/targets.ts';
import { type ItfTrace, itfTraces } from '../aggregate/itf.ts';
import { assertHolds, check } from '../check.ts';
import { OracleStore } from '../oracle/store.ts';
import { commandOf } from '../program.ts';
import type { Target, Violation } from '../target.ts';
import { ApiClient } from '../targets/api-client.ts';
import type { Command } from '../vocabulary.ts';
import { type Decided, happeningsOf, type SpecOutcome } from './orders-trace.ts';
import { orderProgramOf, PLACED } from './programs.ts';
import { SPECIFICATION, simulate } from './quint.ts';
import { replayTrace, TRACE_RULES } from './replay.ts';

const TRACES = isNightly ? 1_000 : 20;
/** The traces of which each begins with an empty database, or kills processes. */
const FEW = isNightly ? 60 : 1;

const folder = newFolder();
let traces: readonly ItfTrace[];

beforeAll(async () => {
  const given = ['--mbt', `--max-samples=${TRACES}`, `--n-traces=${TRACES}`];
  const { code, output } = await simulate(SPECIFICATION, [
    ...given,
    `--out-itf=${join(folder, 'trace_{seq}.itf.json')}`,
  ]);
  expect({ code, output }).toMatchObject({ code: 0 });
  traces = await itfTraces(folder);
  expect(traces).toHaveLength(TRACES);
});

test('The table of the kit gives every outcome of the traces', () => {
  for (const trace of traces) {
    const done: Command[] = [];
    for (const happening of happeningsOf(trace)) {
      if (happening.kind !== 'decided') continue;
      for (const decided of happening.requests.filter(({ isRepeat }) => !isRepeat)) {
        expect(outcomesByTable(done, decided)).toStrictEqual(decided.outcomes);
      }
    }
  }
});

/** @param done The commands before; those of the request are added, if it was not refused as a whole. */
function outcomesByTable(done: Command[], { request }: Decided): readonly SpecOutcome[] {
  const table = new OracleStore();
  for (const command of done) table.submit(command);
  const commands: Command[] = [];
  const outcomes = request.commands.map((command): SpecOutcome => {
    const step = command.do === 'place' ? { ...command, ...PLACED } : command;
    const id = command.do === 'place' ? table.nextId() : BigInt(command.order);
    commands.push(commandOf({ ...step, order: 0 }, id));
    const told = table.submit(commands.at(-1) as Command);
    if (told.kind === 'accepted') return { kind: 'done', order: Number(told.orderId) };
    return { kind: 'refused', code: told.reason as 'order_cancelled' };
  });
  if (!request.isAtomic || outcomes.every(({ kind }) => kind === 'done')) {
    done.push(...commands);
    return outcomes;
  }
  return outcomes.map((it) =>
    it.kind === 'done' ? { kind: 'refused', code: 'batch_refused' } : it,
  );
}

describe('The program of every trace holds', () => {
  const everyTarget: readonly [Target, number][] = [
    [decider, TRACES],
    [memoryApp, TRACES],
    [httpApp, TRACES],
    [sqliteServerApp(temporaryFile), FEW],
    [postgresApp(newDatabase), FEW],
  ];
  const named = everyTarget.map(([target, number]) => ({ name: target.name, target, number }));
  test.each(named)('on the $name', async ({ target, number }) => {
    const programs = traces.slice(0, number).map(orderProgramOf);
    const { runs, steps } = await assertHolds(target, { programs });
    expect(runs).toBe(number);
    expect(steps).toBeGreaterThan(number);
  });

  test('not on a decider that ships cancelled orders, and the program is shrunk', async () => {
    const careless: Target = {
      name: 'careless',
      async open() {
        const session = await decider.open();
        return {
          ...session,
          async perform(command, client) {
            const told = await session.perform(command, client);
            const isWrong = told.kind === 'rejected' && told.reason === 'order_cancelled';
            return isWrong ? { kind: 'accepted' } : told;
          },
        };
      },
    };
    const { counterexample } = await check(careless, { programs: traces.map(orderProgramOf) });
    expect(counterexample?.programs[0]?.steps).toMatchObject([
      { do: 'place', order: 0 },
      { do: 'cancel', order: 0 },
      { do: 'ship', order: 0 },
    ]);
  });
});

describe('Every trace gets its answers', () => {
  test('from the service over HTTP', async () => {
    const { replay } = await server((app) => app);
    for (const trace of traces) await replay(trace);
  });

  test('from two instances on PostgreSQL, of which one is killed at each crash', async () => {
    const url = await newDatabase();
    const instances = await Promise.all([1, 2].map(() => Service.start({ DATABASE_URL: url })));
    onTestFinished(async () => {
      for (const each of instances) await each[Symbol.asyncDispose]();
    });
    const instanceOf = (instance: number) => instances[instance - 1] as Service;
    const clients = new Map<string, ApiClient>();
    onTestFinished(() => {
      for (const client of clients.values()) client.close();
    });
    for (const [index, trace] of traces.slice(0, FEW).entries()) {
      await replayTrace(trace, {
        absentId: -1n,
        keyPrefix: `trace-${index}`,
        clientOf(instance) {
          const { address } = instanceOf(instance);
          const client = clients.get(address) ?? new ApiClient(`${address}/v1`, instanceOf(1).key);
          clients.set(address, client);
          return client;
        },
        async crash(instance) {
          await instanceOf(instance).program.end('SIGKILL');
          await instanceOf(instance).start({ DATABASE_URL: url });
        },
      });
    }
  });
});

/** Starts the service in this process, behind a fault, with a function that replays a trace there. */
async function server(fault: (app: RequestListener) => RequestListener) {
  const { listener, key } = await mutatedListener({ name: 'a fault', http: fault });
  const { address } = await listening(listener);
  const client = new ApiClient(`${address}/v1`, key);
  onTestFinished(() => client.close());
  let run = 0;
  const replay = (trace: ItfTrace) => {
    run += 1;
    const options = { clientOf: () => client, absentId: -1n, keyPrefix: `trace-${run}` };
    return replayTrace(trace, options);
  };
  return { replay, address, key };
}

/** A fault that must differ from a trace, with the rule that it breaks. */
interface Fault {
  readonly fault: string;
  readonly rule: keyof typeof TRACE_RULES;
  plant(app: RequestListener): RequestListener;
}

const FAULTS: readonly Fault[] = [
  {
    fault: 'idempotency keys are ignored',
    rule: 'repeat',
    plant: (app) =>
      changingRequests(app, ({ headers }) => {
        delete headers['idempotency-key'];
      }),
  },
  {
    fault: 'a batch that is refused as a whole is a 200',
    rule: 'answer',
    plant: (app) =>
      changingAnswers(app, (exchange) => {
        const isAtomic = exchange.status === 409 && exchange.body.includes('"batch_refused"');
        if (isAtomic) exchange.status = 200;
      }),
  },
  {
    fault: 'a shipped order is cancelled',
    rule: 'answer',
    plant: (app) =>
      changingAnswers(app, (exchange) => {
        if (exchange.method !== 'DELETE' || exchange.status !== 409) return;
        exchange.status = 204;
        exchange.body = '';
      }),
  },
  {
    fault: 'the code of a refused shipment is that of another refusal',
    rule: 'answer',
    plant: (app) =>
      changingAnswers(app, (exchange) => {
        exchange.body = exchange.body.replace('order_cancelled', 'order_already_shipped');
      }),
  },
  {
    fault: 'the items of a batch are answered in another order',
    rule: 'answer',
    plant: (app) =>
      changingAnswers(app, (exchange) => {
        if (!exchange.body.startsWith('{"results":')) return;
        const { results, ...rest } = JSON.parse(exchange.body);
        exchange.body = JSON.stringify({ results: results.reverse(), ...rest });
      }),
  },
  {
    fault: 'two orders have one id',
    rule: 'answer',
    plant: (app) =>
      changingAnswers(app, (exchange) => {
        if (exchange.method === 'POST') exchange.body = exchange.body.replace(/"id":\d+/, '"id":1');
      }),
  },
  {
    fault: 'the list shows shipped orders as if they were not',
    rule: 'list',
    plant: (app) =>
      changingAnswers(app, (exchange) => {
        const isList = exchange.method === 'GET' && exchange.path.endsWith('/store/orders');
        if (isList) exchange.body = exchange.body.replaceAll('"complete":true', '"complete":false');
      }),
  },
];

describe('A trace finds', () => {
  // By day one for each rule.
  test.each(partByDay(FAULTS, 3))('a server on which $fault', async ({ rule, plant }) => {
    // A server for each: of a fault that depends on earlier traces, a script shows nothing.
    const failed = await firstFailure(traces, async (trace) => (await server(plant)).replay(trace));
    expect(failed).toMatchObject({ name: 'Violation', rule: TRACE_RULES[rule] });
    const { script = '' } = failed as Violation;
    const sound = await printed(script, (app) => app);
    expect(await printed(script, plant)).not.toBe(sound);
    expect(await printed(script, (app) => app)).toBe(sound);
  });
});

/** Runs a script against a new server, and returns what it prints, without what always differs. */
async function printed(script: string, fault: Fault['plant']): Promise<string> {
  const { address, key } = await server(fault);
  const env = { ...process.env, BASE: `${address}/v1`, KEY: key };
  const { stdout } = await promisify(execFile)('sh', ['-c', script], { env });
  return stdout.replaceAll(/^(?:date|etag|x-request-id|content-length):.*\r\n/gim, '');
}

async function firstFailure(
  given: readonly ItfTrace[],
  replay: (trace: ItfTrace) => Promise<void>,
): Promise<unknown> {
  for (const trace of given) {
    try {
      await replay(trace);
    } catch (error) {
      return error;
    }
  }
  return undefined;
}
