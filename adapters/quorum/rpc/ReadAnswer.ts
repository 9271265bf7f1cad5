/**
 * The body of an endpoint's answer, bounded in bytes by itself and together with all others that are read at the same
 * time.
 */
import type { Dispatcher } from "undici"
import { AnswerRoom } from "./AnswerRoom.ts"

/** No answer to any of our calls comes near: whoever sends more is cut off. */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024

/** What is read at once: all that one transaction of usual size needs. */
const USUAL_BYTES = 64 * 1024

/** For large answers of a whole process: two of the largest, or many that say how large they are. */
const room = new AnswerRoom(2 * MAX_ANSWER_BYTES)

/** It is cut off. */
export class TooLarge extends Error {}

type Answer = Pick<Dispatcher.ResponseData, "body" | "headers">

/** `parse` is done when the room is given back: what it makes of the text is the caller's to bound. */
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
      // The connection waits meanwhile.
      if (size > USUAL_BYTES && leave === undefined) {
        leave = await within.enter(Math.min(stated ?? maxBytes, maxBytes), signal)
      }
    }
    return parse(Buffer.concat(chunks).toString())
  } finally {
    leave?.()
  }
}
