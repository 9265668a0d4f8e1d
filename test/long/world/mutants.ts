import { cpSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { MUTANTS as KIT_MUTANTS } from '../../kit-mutants/mutants.ts';
import type { Mutant as PartMutant } from '../../kit-mutants/mutated.ts';
import { type Changes, plantIn } from '../../support/planted.ts';

/** Faults around the writer and the list, with which the kit is tested. */
export const PART_FAULTS: readonly PartMutant[] = KIT_MUTANTS.filter(
  ({ writer, reader }) => writer !== undefined || reader !== undefined,
);

/** The service with one promise broken, as somebody might break it. */
export interface Mutant {
  readonly name: string;
  /** Below src. */
  readonly file: string;
  readonly changes: Changes;
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'decisions of a second try rest on those of the first',
    file: 'app/write/writer.ts',
    changes: [['if (outcomes.length > 0) this.#plan = undefined;', '']],
  },
  {
    name: 'what was not recorded stays in the draft',
    file: 'app/write/writer.ts',
    // Each of the two would do for what the other leaves.
    changes: [
      ["case 'overtaken':\n        this.#plan = undefined;", "case 'overtaken':"],
      ["case 'unknown':\n        this.#plan = undefined;", "case 'unknown':"],
    ],
  },
  {
    name: 'an event is folded twice',
    file: 'app/write/writer.ts',
    changes: [
      [
        'for (const event of events) if (event.position > this.#orders.position) this.#whole.fold(event);',
        'for (const event of events) this.#whole.fold(event);',
      ],
    ],
  },
  {
    name: 'recorded times go back with the clock',
    file: 'app/write/writer.ts',
    changes: [
      ['return at !== undefined && last !== undefined && last > at ? last : at;', 'return at;'],
    ],
  },
  {
    name: 'latecomers get no outcome',
    file: 'app/write/writer.ts',
    changes: [['batch = [...batch, ...latecomers()];', 'latecomers();']],
  },
  {
    name: 'a retry is decided again',
    file: 'app/write/decisions.ts',
    changes: [['if (before === undefined) {', 'if (true) {']],
  },
  {
    name: 'the outcomes of a group are kept under one name',
    file: 'app/write/decisions.ts',
    changes: [['key: index === 0 ? key : ' + '`$' + '{key} $' + '{index}`', 'key']],
  },
  {
    name: 'an atomic group is done in part',
    file: 'app/write/decisions.ts',
    changes: [
      [
        "    return decided.every(({ kind }) => kind === 'accepted');\n  });\n  if (isKept)",
        "    return true;\n  });\n  if (isKept && decided.every(({ kind }) => kind === 'accepted'))",
      ],
      ['events.length = before;', ''],
    ],
  },
  {
    name: 'an atomic group is done in part, and says so',
    file: 'app/write/decisions.ts',
    changes: [['if (group?.isAtomic !== true) return', 'if (true) return']],
  },
  {
    name: 'a refused command records its events',
    file: 'app/write/decisions.ts',
    changes: [
      [
        "if (decision.kind === 'rejected') return decision;\n  // A condition",
        "if (decision.kind === 'rejected') return { kind: 'accepted', orderId, version: draft.version(orderId) };\n  // A condition",
      ],
    ],
  },
  {
    name: 'a batch is answered before it is recorded',
    file: 'app/write/writer.ts',
    changes: [
      [
        'const result = await this.#log.append(seen, decide, outcomeNamesIn(submitted));',
        "const appending = this.#log.append(seen, decide, outcomeNamesIn(submitted));\n    const result = await Promise.race([appending, new Promise<never>((resolve) => setTimeout(resolve, 10, { kind: 'appended', events: [] }))]);",
      ],
    ],
  },
  {
    name: 'an unknown outcome is told as if nothing had been done',
    file: 'app/write/writer.ts',
    changes: [
      [
        'return batch.map(() => ({ kind: result.kind, cause: result.cause.message }));',
        "return batch.map(() => ({ kind: 'unavailable', cause: result.cause.message }));",
      ],
    ],
  },
  {
    name: 'commands are answered in another order',
    file: 'app/write/queue/waiting-request.ts',
    changes: [
      [
        'for (const { submissions, resolve } of requests) {\n    const end',
        'for (const { submissions, resolve } of requests.toReversed()) {\n    const end',
      ],
    ],
  },
  {
    name: 'a second batch has idempotency keys in it',
    file: 'app/write/queue/pipeline.ts',
    changes: [
      [
        '? this.#waiting.takeUnkeyed(MAX_BATCH_COMMANDS)\n      : []',
        '? this.#waiting.take(MAX_BATCH_COMMANDS)\n      : []',
      ],
    ],
  },
  {
    name: 'latecomers join the batch before theirs',
    file: 'app/write/queue/pipeline.ts',
    changes: [
      ['if (newest?.requests !== requests) return [];', 'if (newest === undefined) return [];'],
    ],
  },
  {
    name: 'a second batch follows a whole one',
    file: 'app/write/queue/pipeline.ts',
    changes: [['return first.isHalf && isEnough', 'return isEnough']],
  },
  {
    name: 'a third batch is sent',
    file: 'app/write/queue/pipeline.ts',
    changes: [["case 'one in flight':", "case 'two in flight':\n      case 'one in flight':"]],
  },
  {
    name: 'latecomers are not counted',
    file: 'app/write/queue/pipeline.ts',
    changes: [['newest.size += size;', '']],
  },
  {
    name: 'commands go on after an outcome in doubt',
    file: 'app/write/queue/pipeline.ts',
    changes: [['if (doubt !== undefined) {', 'if (false) {']],
  },
  {
    name: 'a command waits while nothing is in flight',
    file: 'app/write/queue/pipeline.ts',
    changes: [
      [
        "if (requests.length === 0) return { kind: 'idle' };",
        "if (requests.length < 2) return { kind: 'idle' };",
      ],
    ],
  },
  {
    name: 'the newest command is lost in an overload',
    file: 'app/write/queue/command-queue.ts',
    changes: [
      ['if (refused === 0) return;', 'if (refused === 0) return;\n    this.#requests.pop();'],
    ],
  },
  {
    name: 'a reader shares the round that has read the head already',
    file: 'app/read/projector.ts',
    changes: [
      [
        'this.#next ??= this.#round(this.#current);\n    return this.#next;',
        'this.#next ??= this.#round(this.#current);\n    return this.#current ?? this.#next;',
      ],
    ],
  },
  {
    name: 'a reader folds what the writer has folded',
    file: 'app/read/projector.ts',
    changes: [['if (isNew && input.position <= head)', 'if (input.position <= head)']],
  },
  {
    name: 'a list is served one event behind the head',
    file: 'app/read/projector.ts',
    changes: [
      [
        'while (this.#projection.position < head) {',
        'while (this.#projection.position < head - 1) {',
      ],
    ],
  },
  {
    name: 'two orders of one batch get one id',
    file: 'app/write/order-draft.ts',
    changes: [['if (orderId > this.#highestId) this.#highestId = orderId;', '']],
  },
  {
    name: 'the loss of acknowledged events is not noticed',
    file: 'app/log/acknowledged-head.ts',
    changes: [['if (log.position < acknowledged.position) {', 'if (false) {']],
  },
  {
    name: 'a revocation takes effect at the next start only',
    file: 'app/keys/authenticator.ts',
    changes: [['until: at + REMEMBERED_MS', 'until: Number.POSITIVE_INFINITY']],
  },
  {
    name: 'an idempotency key is not read',
    file: 'http/operations/perform.ts',
    changes: [["idempotencyKey: headers['Idempotency-Key'],", '']],
  },
  {
    name: 'an outcome in doubt is a service that is unavailable',
    file: 'http/operations/perform.ts',
    changes: [["new ApiError('outcome_unknown');\n}", "new ApiError('service_unavailable');\n}"]],
  },
  {
    name: 'a client that is there counts as gone',
    file: 'http/request-context.ts',
    changes: [['return this.res.closed;', 'return true;']],
  },
];

/** Copies the service and its worlds with a mutant into a folder; returns the program to run. */
export function plant({ file, changes }: Mutant, folder: string): string {
  for (const name of [
    'src',
    'test/kit',
    'test/kit-mutants',
    'test/long/world',
    'test/support',
    'package.json',
  ]) {
    cpSync(name, join(folder, name), { recursive: true });
  }
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  plantIn(join(folder, 'src', file), changes);
  return join(folder, 'test/long/world/main.ts');
}
