import { OracleStore } from './oracle/store.ts';
import { absentId, commandOf, letterOf, type Name, type Program, type Step } from './program.ts';
import { SHELL_FUNCTIONS } from './targets/trace.ts';

/** The violation and the origin of a counterexample. */
export interface Found {
  readonly seed: number;
  readonly path: string;
  /** The given program, in words; default the seed and the path. */
  readonly origin?: string;
  readonly rule: string;
  readonly detail: string;
}

/** Returns programs as a shell script, which requires BASE and KEY to be set. */
export function asScript(programs: readonly Program[], found: Found): string {
  const lines = [
    `# Broken: ${found.rule}`,
    `# ${found.detail.replaceAll('\n', '\n# ')}`,
    `# ${found.origin ?? `Seed ${found.seed}, path ${found.path}.`}`,
    ...SHELL_FUNCTIONS,
  ];
  for (const [index, program] of programs.entries()) {
    const commands = asCommands(program);
    if (programs.length === 1) lines.push(...commands);
    else lines.push(`# Client ${index + 1}; all of them at once.`, '(', ...commands, ') &');
  }
  if (programs.length > 1) lines.push('wait');
  // Every run ends with a comparison of the whole list.
  const endsWithList = programs.length === 1 && programs[0]?.steps.at(-1)?.do === 'list';
  if (!endsWithList) lines.push('# the list at the end', LIST);
  return `${lines.join('\n')}\n`;
}

const LIST = 'orders "$BASE/store/orders"';

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
      return LIST;
    case 'restart':
      return '# (end the service with kill -9, and start it again)';
  }
}

function idOf(step: Step, placed: ReadonlySet<Name>, ids: readonly bigint[]): string {
  if (!('order' in step)) return '';
  if (placed.has(step.order)) return `$${letterOf(step.order)}`;
  return String(absentId(ids[step.order] as bigint));
}
