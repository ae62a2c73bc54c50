/** Maximum number of requests that are begun in one turn of the event loop. */
const maxPerTurn = 16;

/** Time after which a turn counts as long, ms; the next turns then begin fewer requests. */
const longMs = 8;

/** Spreads a burst of requests over several turns of the event loop, so that other work goes on between them. */
export class RequestPace {
  private readonly waiting: (() => void)[] = [];
  private perTurn = maxPerTurn;
  private begun = 0;

  /** Undefined if the request may begin now. Requests that wait begin in the order of their calls. */
  turn(): Promise<void> | undefined {
    if (this.begun < this.perTurn) {
      this.begun++;
      if (this.begun === this.perTurn) this.waitForTurn();
      return undefined;
    }
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private waitForTurn(): void {
    const start = performance.now();
    setImmediate(() => {
      const isLong = performance.now() - start > longMs;
      this.perTurn = isLong ? Math.ceil(this.perTurn / 2) : Math.min(maxPerTurn, this.perTurn * 2);
      const next = this.waiting.splice(0, this.perTurn);
      this.begun = next.length;
      if (this.begun === this.perTurn) this.waitForTurn();
      for (const begin of next) begin();
    });
  }
}
