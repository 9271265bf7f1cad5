/**
 * Room for large answers of endpoints, in bytes, for all of a process. An answer of usual size is read at once. The
 * rest of a larger one is read when there is room for it: those that come first wait for nobody, the others stand in
 * line until their deadline. So whoever names transactions of megabytes, again and again, fills the room and nothing
 * else.
 */
export class AnswerRoom {
  private free: number
  private line: ReadonlyArray<{ readonly bytes: number; readonly admit: () => void }> = []

  constructor(bytes: number) {
    this.free = bytes
  }

  /**
   * Resolves, in the order of asking, with what gives the room back; rejects when the signal aborts before. At most all
   * of the room may be asked for.
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
