/** Thrown for an event that no service can have recorded: its order's earlier events forbid it. */
export class ImpossibleEvent extends Error {
  override readonly name = 'ImpossibleEvent';

  constructor(position: number, reason: string) {
    super(`event at position ${position} cannot have been recorded: ${reason}`);
  }
}
