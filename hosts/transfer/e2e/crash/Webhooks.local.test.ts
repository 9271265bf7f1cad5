/** A host that is killed while it delivers webhooks loses none: each change arrives at least once, and in order. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { parseEther } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { tally } from "../../../../scripts/testing/Tally.ts"
import { nativeRequest, post, postQuote, QuoteAnswer, sendDeposit } from "../../testing/Client.ts"
import { addKeys } from "../../testing/Keys.ts"
import { eventually, startReceiver } from "../../testing/Receiver.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

describe("webhooks of a host that is killed", () => {
  it.live("arrive even when the receiver was away, too", () =>
    Effect.gen(function*() {
      const { chains, environment, startHost } = yield* startNetwork
      yield* addKeys(environment["DATABASE_URL"] ?? "", ["alice"])
      const key = { "x-api-key": "alice" }
      const doomed = yield* startHost()
      const receiver = yield* startReceiver()
      // The first is received, but its answer never comes.
      receiver.answer = () => undefined
      assert.strictEqual((yield* post(`${doomed.url}/webhooks`, { url: receiver.url }, key)).status, 200)
      const quoteAndPay = Effect.fnUntraced(function*(url: string, index: number) {
        const user = chains.users[index] ?? "0x"
        const body = nativeRequest(privateKeyToAccount(user).address, chains.alpha, chains.beta, parseEther("0.1"))
        const quoted = Schema.decodeUnknownSync(QuoteAnswer)((yield* postQuote(url, body, key)).json())
        yield* sendDeposit(chains.alpha, user, quoted)
        return quoted.steps[0]?.requestId ?? ""
      })
      const first = yield* quoteAndPay(doomed.url, 0)
      yield* eventually("the first is under way", () => receiver.received.length > 0)
      assert.strictEqual(yield* doomed.kill("SIGKILL"), "SIGKILL")
      tally("kills", 1)

      receiver.answer = (response, { json }) => {
        // Slow for one delivery; for another the connection ends without an answer.
        if (
          json.sequence === 2 && receiver.received.filter(({ json: { id } }) => id === json.id).length === 1
        ) response.destroy()
        else setTimeout(() => response.writeHead(200).end(), json.sequence === 1 ? 300 : 0)
      }
      const successor = yield* startHost()
      const second = yield* quoteAndPay(successor.url, 1)
      for (const request of [first, second]) {
        const of = () => receiver.received.filter(({ json }) => json.id.startsWith(request))
        yield* eventually(`all of ${request}`, () => of().some(({ json }) => json.data["status"] === "success"))
        const sequences = of().map(({ json }) => json.sequence)
        assert.deepStrictEqual(sequences, sequences.toSorted((a, b) => a - b), "in order")
        assert.deepStrictEqual(
          [...new Set(sequences)],
          Array.from({ length: sequences.at(-1) ?? 0 }, (_, index) => index + 1),
          "without a gap"
        )
      }
      assert.isAbove(
        receiver.received.filter(({ json }) => json.id === `${first}.1`).length,
        1,
        "what was under way came again"
      )
    }).pipe(Effect.scoped))
})
