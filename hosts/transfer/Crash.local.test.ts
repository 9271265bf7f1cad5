import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { parseEther } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { tally } from "../../scripts/testing/Tally.ts"
import { ended, nativeRequest, quote, reader, sendDeposit } from "./testing/Client.ts"
import { startNetwork } from "./testing/TransferNetwork.ts"

/** Nobody else ever pays this account, so that its balance is what was paid. */
const recipient = "0x00000000000000000000000000000000000c4a54"

describe("a worker that is killed", () => {
  it.live.each([
    { failpoint: "fill:before-broadcast", when: "between signing and broadcasting" },
    { failpoint: "fill:after-broadcast", when: "between broadcasting and recording" }
  ])("$when has paid exactly once when it is back", ({ failpoint }) =>
    Effect.scoped(Effect.gen(function*() {
      const { chains, startHost } = yield* startNetwork
      const key = chains.users[0] ?? "0x"
      const doomed = yield* startHost({ FAILPOINT: failpoint })
      const user = privateKeyToAccount(key).address
      const quoted = yield* quote(doomed.url, nativeRequest(user, chains.alpha, chains.beta, parseEther("0.1"), { recipient }))
      yield* sendDeposit(chains.alpha, key, quoted)

      assert.strictEqual(yield* doomed.ended, "SIGKILL")
      tally("kills", 1)
      const beta = reader(chains.beta)
      const balance = () => Effect.promise(() => beta.getBalance({ address: recipient }))
      const sent = () => Effect.promise(() => beta.getTransactionCount({ address: chains.solver }))
      const promised = BigInt(quoted.details.currencyOut.amount)
      const broadcast = failpoint === "fill:after-broadcast"
      assert.strictEqual(yield* balance(), broadcast ? promised : 0n)

      const restarted = yield* startHost()
      const end = yield* ended(restarted.url, quoted)
      assert.strictEqual(end.status, "success")
      assert.strictEqual(yield* balance(), promised)
      assert.strictEqual(yield* sent(), 1)
      // Long enough for the sweep and the guard to look again: nothing more is ever sent.
      yield* Effect.sleep("3 seconds")
      assert.strictEqual(yield* balance(), promised)
      assert.strictEqual(yield* sent(), 1)
    })), 60_000)
})
