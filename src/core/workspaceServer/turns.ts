/** Maximum number of steps in one turn of the event loop. After that, other work of the extension host runs. */
const maxStepsInTurn = 20_000;

/** Counts the steps of long work, so that it can yield to the extension host before it blocks noticeably. */
export class Turns {
  private stepsInTurn = 0;
  private nextTurn: Promise<void> | undefined;

  /** Counts work that was done in this turn of the event loop. */
  spend(steps: number): void {
    this.stepsInTurn += steps;
  }

  /**
   * Whether the steps of this turn are used up. Check this again after every wait, directly before the next part of the
   * work, because other work in the same turn may have used the steps: `while (turns.isOver) await turns.next();`.
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
