import { OracleStore } from './oracle/store.ts';
import { absentId, commandOf, letterOf, type Name, type Program, type Step } from './program.ts';

/** The violation and the origin of a counterexample. */
export interface Found {
  readonly seed: number;
  readonly path: string;
  readonly rule: string;
  readonly detail: string;
}

/** Returns programs as a shell script, which requires BASE and KEY to be set. */
export function asScript(programs: readonly Program[], found: Found): string {
  const lines = [
    `# Broken: ${found.rule}`,
    `# ${found.detail.replaceAll('\n', '\n# ')}`,
    `# Seed ${found.seed}, path ${found.path}.`,
    '# Set these two first: BASE=http://127.0.0.1:3000/v1; KEY=sto_…',
    'orders() { curl -s -w \'\\n\' -H "Authorization: Bearer $KEY" -H \'Content-Type: application/json\' "$@"; }',
    'placed() { orders "$BASE/store/orders" -d "$1" | sed \'s/^{"id":\\(-\\{0,1\\}[0-9]*\\),.*/\\1/\'; }',
  ];
  for (const [index, program] of programs.entries()) {
    if (programs.length > 1) lines.push(`# Client ${index + 1}; all of them at once.`);
    lines.push(...asCommands(program));
  }
  return `${lines.join('\n')}\n`;
}

function asCommands({ ids, steps }: Program): readonly string[] {
  const oracle = new OracleStore();
  const placed = new Set<Name>();
  return steps.flatMap((step) => {
    if (step.do === 'place' && placed.has(step.order)) {
      return [`# place ${letterOf(step.order)} again, where the client chooses ids`];
    }
    if (step.do === 'place') placed.add(step.order);
    return [`# ${aboutStep(step, ids, oracle)}`, lineOf(step, placed, ids)];
  });
}

/** Returns a step and its expected result in words. */
function aboutStep(step: Step, ids: readonly bigint[], oracle: OracleStore): string {
  if (!('order' in step)) return step.do;
  const id = ids[step.order] as bigint;
  const what = `${step.do} ${letterOf(step.order)}`;
  if (step.do === 'get') return `${what}: ${oracle.get(id) === undefined ? 'not found' : 'found'}`;
  const expected = oracle.submit(commandOf(step, id));
  const chosen = step.do === 'place' ? `, as order ${id} where the client chooses` : '';
  return `${what}: ${expected.kind === 'accepted' ? 'accepted' : expected.reason}${chosen}`;
}

function lineOf(step: Step, placed: ReadonlySet<Name>, ids: readonly bigint[]): string {
  const order = `"$BASE/store/orders/${idOf(step, placed, ids)}"`;
  switch (step.do) {
    case 'place': {
      const date = step.shipDate === undefined ? '' : `,"shipDate":"${step.shipDate}"`;
      const body = `{"petId":${step.petId},"quantity":${step.quantity}${date}}`;
      return `${letterOf(step.order)}=$(placed '${body}')`;
    }
    case 'ship':
      return `orders -X PUT ${order}/shipment -d '{"shipDate":"${step.shipDate}"}'`;
    case 'cancel':
      return `orders -w '%{http_code}\\n' -X DELETE ${order}`;
    case 'get':
      return `orders ${order}`;
    case 'list':
      return 'orders "$BASE/store/orders"';
    case 'restart':
      return '# (end the service with kill -9, and start it again)';
  }
}

function idOf(step: Step, placed: ReadonlySet<Name>, ids: readonly bigint[]): string {
  if (!('order' in step)) return '';
  if (placed.has(step.order)) return `$${letterOf(step.order)}`;
  return String(absentId(ids[step.order] as bigint));
}
