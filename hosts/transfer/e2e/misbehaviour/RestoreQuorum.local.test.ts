/**
 * A store is restored from a backup, and the first of three endpoints lies about what was paid since (QUORUM-8). What is
 * missing would prove that nothing was paid, and the deposit would be paid again.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { dirname, join } from "node:path"
import { parseEther } from "viem"
import type { Hex } from "viem"
import { ended, nativeRequest, quote, sendDeposit } from "../../testing/Client.ts"
import { lyingNode } from "../../testing/LyingNode.ts"
import type { Answer, Lie } from "../../testing/LyingNode.ts"
import { assertDelivered, assertFilledOnce, eventually, openDeposits, orderIdOf } from "../../testing/Misbehaving.ts"
import { runOperation } from "../../testing/RunOperation.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

/** Quoted before the backup, paid and filled after it, and forgotten. Then the first endpoint of beta lies to the host. */
const forgotten = Effect.fnUntraced(
  function*(recipient: Hex, lieAbout: (orderId: Hex) => Lie) {
    const network = yield* startNetwork
    const { chains: { alpha, beta, solver }, environment, key, startInstance, user } = network
    const file = join(dirname(environment["DATABASE_URL"]?.slice("sqlite:".length) ?? ""), "backups", "one.db")
    const first = yield* startInstance()
    const quoted = yield* quote(first.url, nativeRequest(user(0), alpha, beta, parseEther("0.1"), { recipient }))
    yield* first.stop
    const backedUp = yield* runOperation("backup", environment, file)
    assert.strictEqual(backedUp.code, 0, backedUp.error)
    const second = yield* startInstance()
    yield* sendDeposit(alpha, key(0), quoted)
    assert.strictEqual((yield* ended(second.url, quoted)).status, "success")
    yield* second.stop
    const restored = yield* runOperation("restore", environment, file)
    assert.strictEqual(restored.code, 0, restored.error)

    const [liar, voice] = [yield* lyingNode(beta.url), yield* lyingNode(beta.url)]
    liar.lie(lieAbout(orderIdOf(quoted)))
    const third = yield* startInstance({ BETA_RPC_URL: [liar.url, beta.url, voice.url].join(",") })
    const goesOn = Effect.sync(() => third.output().includes("payments on alpha, beta go on"))
    yield* eventually("the restoration has ended", goesOn, (is) => is)
    assert.strictEqual((yield* ended(third.url, quoted)).status, "success")
    yield* eventually("the deposit is closed", openDeposits(environment), (open) => open === 0)
    assert.include(third.output(), "that was made after the backup is known again")
    yield* assertFilledOnce({ alpha, beta, solver }, quoted)
    yield* assertDelivered({ beta }, quoted, recipient)
  }
)

const replaced = (answer: Answer, from: Hex, to: Hex): Answer => ({
  ...answer,
  result: JSON.parse(JSON.stringify(answer.result ?? null).replaceAll(from.slice(2), to.slice(2))) as unknown
})

/** An order of nobody. */
const another: Hex = `0x${"77".repeat(32)}`

describe("the preferred endpoint of three, after a restore", () => {
  it.live("shows a payment as one of another order: it is known again as it is, and the deposit is not paid twice", () =>
    Effect.scoped(
      forgotten("0x000000000000000000000000000000000000e301", (orderId) => async ({ method }, truth) => {
        const answer = await truth()
        return method === "eth_getBlockByNumber" || method === "eth_getTransactionByHash"
          ? replaced(answer, orderId, another)
          : answer
      })
    ))
})
