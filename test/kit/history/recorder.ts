import type { Answer, Operation, Request } from './history.ts';

/** Returns nanoseconds of the monotonic clock, which all processes of a machine share. */
function nanoseconds(): number {
  return Number(process.hrtime.bigint());
}

/** Records the requests of clients and their responses. */
export class Recorder {
  readonly #operations: Operation[] = [];
  readonly #clock: () => number;
  #underWay = 0;
  #mostUnderWay = 0;

  /**
   * @param clock Monotonic. Equal times count as concurrent, so a coarse clock only hides
   * violations.
   */
  constructor(clock: () => number = nanoseconds) {
    this.#clock = clock;
  }

  /** The operations so far, in the order of their responses. */
  get history(): readonly Operation[] {
    return this.#operations;
  }

  /** The highest number of concurrent requests. */
  get mostUnderWay(): number {
    return this.#mostUnderWay;
  }

  /** Makes a request, and records its start, its reply and its end. */
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
