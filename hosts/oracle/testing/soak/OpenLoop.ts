/**
 * Sends requests at a fixed rate, however slowly they are answered: a delay shows as latency, not as fewer requests.
 */
import { Agent, request } from "node:http"
import { setTimeout } from "node:timers/promises"
import type { Claim } from "./Claims.ts"

export interface Outcome {
  readonly status: number
  readonly text: string
  /** Milliseconds since the request was due. */
  readonly ms: number
}

const TICK_MS = 10

/**
 * Sends `rate` requests a second for `ms` and reports each outcome. Resolves when all are answered. Status 0 means that
 * a new connection broke.
 */
export const openLoop = async (
  port: number,
  rate: number,
  ms: number,
  claims: () => Claim,
  told: (claim: Claim, outcome: Outcome) => void
): Promise<void> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 4_096 })
  const waiting = new Set<Promise<void>>()
  const send = (claim: Claim, due: number): Promise<void> =>
    new Promise((resolve) => {
      const ended = (status: number, text: string) => {
        told(claim, { status, text, ms: performance.now() - due })
        resolve()
      }
      const sent = request({
        agent,
        host: "127.0.0.1",
        port,
        path: claim.path,
        method: "POST",
        headers: { "content-type": "application/json", "content-length": Buffer.byteLength(claim.body) }
      }, (response) => {
        const chunks: Array<Buffer> = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk)).on("end", () =>
          ended(response.statusCode ?? 0, Buffer.concat(chunks).toString())).on("error", () =>
            ended(0, ""))
      })
      // A server may close an idle connection just as it is used again. The request was not processed, so the client
      // sends it again.
      sent.on("error", () => sent.reusedSocket ? resolve(send(claim, due)) : ended(0, ""))
      sent.end(claim.body)
    })
  const from = performance.now()
  for (let sent = 0; performance.now() - from < ms;) {
    const due = Math.floor((performance.now() - from) * rate / 1_000)
    for (; sent < due; sent += 1) {
      const one = send(claims(), from + (sent + 1) * 1_000 / rate)
      waiting.add(one)
      void one.finally(() => waiting.delete(one))
    }
    await setTimeout(TICK_MS)
  }
  await Promise.all(waiting)
  agent.destroy()
}
