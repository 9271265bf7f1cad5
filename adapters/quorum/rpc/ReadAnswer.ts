/**
 * Reads the body of an endpoint's answer. Its bytes are bounded, and so is the sum over all answers that are read at
 * the same time.
 */
import type { Dispatcher } from "undici"
import { AnswerRoom } from "./AnswerRoom.ts"

/** No answer to any of our calls comes near this. Longer answers are cut off. */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024

/** Read at once: enough for one transaction of usual size. */
const USUAL_BYTES = 64 * 1024

/** For all large answers of the process: two of the largest, or many that state their length. */
const room = new AnswerRoom(2 * MAX_ANSWER_BYTES)

/** The answer was cut off. */
export class TooLarge extends Error {}

type Answer = Pick<Dispatcher.ResponseData, "body" | "headers">

/** `parse` ends before the room is returned. The caller bounds what `parse` makes of the text. */
export const readAnswer = async <A>(
  { body, headers }: Answer,
  signal: AbortSignal,
  maxBytes: number,
  parse: (text: string) => A,
  within = room
): Promise<A> => {
  const length = headers["content-length"]
  const stated = typeof length === "string" ? Number(length) : undefined
  if (stated !== undefined && stated <= USUAL_BYTES) return parse(await body.text())
  const chunks: Array<Uint8Array> = []
  let size = 0
  let leave: (() => void) | undefined
  try {
    for await (const chunk of body) {
      const bytes: unknown = chunk
      if (!(bytes instanceof Uint8Array)) continue
      size += bytes.length
      if (size > maxBytes) throw new TooLarge(`an answer of more than ${maxBytes} bytes`)
      chunks.push(bytes)
      // The connection pauses meanwhile.
      if (size > USUAL_BYTES && leave === undefined) {
        leave = await within.enter(Math.min(stated ?? maxBytes, maxBytes), signal)
      }
    }
    return parse(Buffer.concat(chunks).toString())
  } finally {
    leave?.()
  }
}
