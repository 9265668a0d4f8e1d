/** The calls that wait for a connection, which can all be failed at once. */
export class Waiting {
  readonly #rejects = new Set<(cause: Error) => void>();

  /**
   * Resolves or rejects as `taken` does; rejects earlier if the calls are failed.
   * @param unused Receives what was taken for a call that was failed.
   */
  until<Taken>(taken: Promise<Taken>, unused: (late: Taken) => void): Promise<Taken> {
    return new Promise((resolve, reject) => {
      this.#rejects.add(reject);
      const isAwaited = () => this.#rejects.delete(reject);
      taken.then(
        (result) => (isAwaited() ? resolve(result) : unused(result)),
        (error) => (isAwaited() ? reject(error) : undefined),
      );
    });
  }

  fail(cause: Error): void {
    for (const reject of this.#rejects) reject(cause);
    this.#rejects.clear();
  }
}
