import { Random } from '../kit/history/random.ts';
import { check } from '../kit/linearizability/check.ts';
import { describe } from '../kit/linearizability/timeline.ts';
import { isLinearizable } from './brute-force.ts';
import { corrupted } from './corruption.ts';
import { FAULTS, simulate } from './simulated-store.ts';

const end = Date.now() + Number(process.argv[2]) * 1000;
let seed = Number(process.argv[3] ?? 1);
let right = 0,
  n = 0,
  bad = 0;
while (Date.now() < end && bad < 3) {
  seed++;
  n++;
  const r = new Random(seed * 7 + 3);
  const fault = r.percent(50) ? r.pick(FAULTS) : undefined;
  const sim = {
    seed,
    clients: 2 + r.below(3),
    operations: 2 + r.below(7),
    lost: r.pick([0, 20, 40]),
    choosesIds: r.percent(30),
    tellsStatus: r.percent(50),
    orders: 1 + r.below(3),
    ...(fault ? { fault } : {}),
  };
  const h = corrupted(simulate(sim), r.below(4), seed);
  const a = isLinearizable(h);
  let b: boolean;
  let v;
  try {
    v = check(h);
    b = v.length === 0;
  } catch (e) {
    console.log('THROW', seed, e);
    b = !a;
  }
  if (a) right++;
  if (a !== b) {
    bad++;
    console.log('MISMATCH seed', seed, 'brute', a, 'check', b, JSON.stringify(sim));
    console.log(v?.map(describe).join('\n'));
    for (const o of h)
      console.log(
        o.client,
        o.invoked,
        o.returned,
        o.request,
        JSON.stringify(o.answer, (_k, x) => (typeof x === 'bigint' ? `${x}n` : x)),
      );
  }
}
console.log({ n, right, bad });
