/** Number of steps after which other work of the extension host gets its turn. */
const maxStepsInTurn = 20_000;

/** Divides work into parts that are counted in steps, so that it does not block the extension host. */
export class Turns {
  private stepsInTurn = 0;
  private nextTurn: Promise<void> | undefined;

  /** Counts work that was done in this turn of the event loop. */
  spend(steps: number): void {
    this.stepsInTurn += steps;
  }

  /**
   * Whether the limit of this turn is used up. Check it directly before the next part, because other work of the same
   * turn may have been done during any wait: `while (turns.isOver) await turns.next();`.
   */
  get isOver(): boolean {
    return this.stepsInTurn > maxStepsInTurn;
  }

  /** Resolves in a later turn of the event loop. */
  next(): Promise<void> {
    this.nextTurn ??= new Promise((resolve) =>
      setImmediate(() => {
        this.stepsInTurn = 0;
        this.nextTurn = undefined;
        resolve();
      }),
    );
    return this.nextTurn;
  }
}
