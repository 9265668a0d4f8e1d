import type { Answer, Operation, Request } from './history.ts';

/** Nanoseconds of the clock that all processes of a machine share, and that never goes back. */
function nanoseconds(): number {
  return Number(process.hrtime.bigint());
}

/** Writes down what clients ask and are told, as it happens. */
export class Recorder {
  readonly #operations: Operation[] = [];
  readonly #clock: () => number;
  #underWay = 0;
  #mostUnderWay = 0;

  /** @param clock Never goes back. Equal times count as "at once", so a coarse clock only hides. */
  constructor(clock: () => number = nanoseconds) {
    this.#clock = clock;
  }

  /** What has been answered so far, in the order of the answers. */
  get history(): readonly Operation[] {
    return this.#operations;
  }

  /** How many requests were ever under way at once. */
  get mostUnderWay(): number {
    return this.#mostUnderWay;
  }

  /** Has a request made, and notes when it began, how it ended and when. */
  async record(client: number, request: Request, perform: () => Promise<Answer>): Promise<Answer> {
    this.#underWay += 1;
    this.#mostUnderWay = Math.max(this.#mostUnderWay, this.#underWay);
    const invoked = this.#clock();
    const answer = await perform();
    const returned = answer.kind === 'unknown' ? Number.POSITIVE_INFINITY : this.#clock();
    this.#underWay -= 1;
    this.#operations.push({ client, request, answer, invoked, returned });
    return answer;
  }
}
