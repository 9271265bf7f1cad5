/**
 * Sends one request over a pool of kept-alive connections, and reads the answer to its end. The bytes of the answer are
 * bounded, and so is the sum over all answers that are read at the same time.
 *
 * Below undici's `request` on purpose: its stream of each answer costs more than reading and parsing it.
 *
 * A cancelled request would cost its connection, and under a quorum every third one is cancelled when two have decided.
 * So the small rest of an answer is taken from the connection and dropped, for a moment.
 */
import type { Dispatcher } from "undici"
import { AnswerRoom } from "./AnswerRoom.ts"

/** No answer to any of our calls comes near this. Longer answers are cut off. */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024

/** Read at once: enough for one transaction of usual size. */
const USUAL_BYTES = 64 * 1024

/** For all large answers of the process: two of the largest, or many that state their length. */
const room = new AnswerRoom(2 * MAX_ANSWER_BYTES)

/** How long the rest of an answer that no caller waits for is taken, milliseconds; later ones lose their connection. */
const LINGER_MS = 250

/** Of one pool at a time: an endpoint that is silent must not hold many connections. */
const MOST_LINGERING = 4

const lingering = new WeakMap<Dispatcher, number>()

/** The answer was cut off. */
export class TooLarge extends Error {}

/** The whole answer, whatever its status. */
export interface Answered {
  readonly status: number
  readonly text: string
}

export interface Reading<A> {
  /** Cancels the request, with whatever was read of its answer. */
  readonly signal: AbortSignal
  readonly maxBytes: number
  /** Ends before the room is returned. The caller bounds what it makes of the text. */
  readonly parse: (answered: Answered) => A
  /** The room for large answers. The process's own by default. */
  readonly within?: AnswerRoom
}

/** Made once, as thousands of requests a minute are cancelled when others have decided. */
const NOBODY_WAITS = new Error("nobody waits for the answer any more")

const textOf = (chunks: ReadonlyArray<Buffer>): string => {
  const [first, ...others] = chunks
  if (first === undefined) return ""
  return others.length === 0 ? first.toString() : Buffer.concat(chunks).toString()
}

/** The part of undici's handler that takes an answer. Settles once. */
class Answer<A> implements Dispatcher.DispatchHandler {
  private readonly chunks: Array<Buffer> = []
  private readonly reading: Reading<A>
  private readonly resolve: (answer: A) => void
  private readonly reject: (cause: unknown) => void
  private controller: Dispatcher.DispatchController | undefined
  private status = 0
  private stated: number | undefined
  private size = 0
  private leave: (() => void) | undefined
  private isEntering = false
  /** Set while the rest of the answer is dropped. */
  private lingers: NodeJS.Timeout | undefined
  private readonly pool: Dispatcher

  constructor(pool: Dispatcher, reading: Reading<A>, resolve: (answer: A) => void, reject: (cause: unknown) => void) {
    this.pool = pool
    this.reading = reading
    this.resolve = resolve
    this.reject = reject
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    if (this.reading.signal.aborted) controller.abort(NOBODY_WAITS)
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Record<string, unknown>): void {
    const length = headers["content-length"]
    this.status = status
    this.stated = typeof length === "string" ? Number(length) : undefined
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { maxBytes, within = room } = this.reading
    this.size += chunk.length
    if (this.lingers !== undefined) return this.size > USUAL_BYTES ? controller.abort(NOBODY_WAITS) : undefined
    if (this.size > maxBytes) return controller.abort(new TooLarge(`an answer of more than ${maxBytes} bytes`))
    this.chunks.push(chunk)
    if (this.size <= USUAL_BYTES || this.isEntering) return
    this.isEntering = true
    controller.pause()
    void this.enterRoom(controller, within)
  }

  /** The connection pauses meanwhile. */
  private async enterRoom(controller: Dispatcher.DispatchController, within: AnswerRoom): Promise<void> {
    const { maxBytes, signal } = this.reading
    try {
      const leave = await within.enter(Math.min(this.stated ?? maxBytes, maxBytes), signal)
      if (signal.aborted) return leave()
      this.leave = leave
      controller.resume()
    } catch {
      controller.abort(NOBODY_WAITS)
    }
  }

  onResponseEnd(): void {
    try {
      if (this.lingers === undefined) {
        this.resolve(this.reading.parse({ status: this.status, text: textOf(this.chunks) }))
      }
    } catch (cause) {
      this.reject(cause)
    }
    this.end()
  }

  onResponseError(_: unknown, cause: Error): void {
    this.reject(cause)
    this.end()
  }

  readonly cancel = (): void => {
    this.reject(NOBODY_WAITS)
    const { controller, pool } = this
    const others = lingering.get(pool) ?? 0
    // One that is not sent yet is aborted when it would be.
    if (controller === undefined) return
    if (this.isEntering || this.size > USUAL_BYTES || others >= MOST_LINGERING) return controller.abort(NOBODY_WAITS)
    lingering.set(pool, others + 1)
    this.chunks.length = 0
    this.lingers = setTimeout(() => controller.abort(NOBODY_WAITS), LINGER_MS)
  }

  private end(): void {
    if (this.lingers !== undefined) {
      clearTimeout(this.lingers)
      lingering.set(this.pool, (lingering.get(this.pool) ?? 1) - 1)
    }
    this.leave?.()
    this.leave = undefined
    this.reading.signal.removeEventListener("abort", this.cancel)
  }
}

/** Rejects when the connection fails, the signal aborts, the answer is too large, or `parse` throws. */
export const readAnswer = <A>(
  pool: Dispatcher,
  request: Dispatcher.DispatchOptions,
  reading: Reading<A>
): Promise<A> =>
  new Promise((resolve, reject) => {
    const answer = new Answer(pool, reading, resolve, reject)
    if (reading.signal.aborted) return reject(NOBODY_WAITS)
    reading.signal.addEventListener("abort", answer.cancel, { once: true })
    pool.dispatch(request, answer)
  })
