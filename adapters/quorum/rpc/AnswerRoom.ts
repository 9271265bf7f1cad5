/**
 * A process-wide budget, in bytes, for large answers of endpoints. An answer of usual size is read at once. The rest of
 * a larger answer is read when the budget has room for it, in the order of arrival, until its deadline. So requests for
 * many huge transactions fill this budget and delay nothing else.
 */
export class AnswerRoom {
  private free: number
  private line: ReadonlyArray<{ readonly bytes: number; readonly admit: () => void }> = []

  constructor(bytes: number) {
    this.free = bytes
  }

  /**
   * Resolves in the order of the calls, with a function that returns the room. Rejects when the signal aborts first.
   * The most that may be requested is the whole budget.
   */
  enter(bytes: number, signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const entry = {
        bytes,
        admit: () => {
          signal.removeEventListener("abort", leaveLine)
          resolve(this.takenBy(bytes))
        }
      }
      const leaveLine = () => {
        this.line = this.line.filter((other) => other !== entry)
        reject(new Error("nobody waits for the answer any more"))
        this.admitNext()
      }
      if (signal.aborted) return reject(new Error("nobody waits for the answer any more"))
      signal.addEventListener("abort", leaveLine, { once: true })
      this.line = [...this.line, entry]
      this.admitNext()
    })
  }

  private takenBy(bytes: number): () => void {
    let taken = bytes
    return () => {
      this.free += taken
      taken = 0
      this.admitNext()
    }
  }

  private admitNext(): void {
    for (let [first] = this.line; first !== undefined && first.bytes <= this.free; [first] = this.line) {
      this.line = this.line.slice(1)
      this.free -= first.bytes
      first.admit()
    }
  }
}
