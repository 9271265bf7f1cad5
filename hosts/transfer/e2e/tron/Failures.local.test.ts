/**
 * Fills on Tron that go wrong between the node and the block: a broadcast that is never answered until the payment has
 * expired, one whose answer is lost, and a call that fails in its block.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { parseEther } from "viem"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { usdt } from "../../../localnet/nodes/tron/Deposits.ts"
import { execute, quote } from "../../testing/Client.ts"
import type { QuoteAnswer } from "../../testing/Client.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { balanceOf, eventually, orderIdOf } from "../../testing/Misbehaving.ts"
import { endedAnywhere } from "../../testing/SolanaClient.ts"
import { namedBy, toTron } from "../../testing/TronClient.ts"
import { newTronAddress, startTronNetwork, TRX } from "../../testing/TronNetwork.ts"

class Running extends fixtureOf<Running>()("test/TronFailures", startFixture(startTronNetwork)) {}

/** A user's quote for a currency of the chain, and its payee, who has nothing yet. */
const begun = Effect.fnUntraced(function*(index: number, currency: string, changes: object = {}) {
  const { chains, url, user } = yield* Running
  const recipient = newTronAddress()
  const quoted = yield* quote(url, toTron(user(index), recipient, chains.alpha.chainId, currency, changes))
  return { recipient, quoted }
})

/** The results of all transactions in blocks that name the order. */
const resultsOf = Effect.fnUntraced(function*(quoted: QuoteAnswer) {
  const { tron: { chain: { ledger } } } = yield* Running
  return [...ledger.from(1, ledger.tip.number)].flatMap(({ executed }) => executed)
    .filter(({ transaction }) => namedBy(transaction) === orderIdOf(quoted)).map(({ result }) => result)
})

/** It ends with exactly this payment, and nothing follows. */
const paidOnce = Effect.fnUntraced(function*({ quoted, recipient }: Effect.Success<ReturnType<typeof begun>>) {
  const { heldOnTron, tron, url, whileMining } = yield* Running
  assert.strictEqual((yield* whileMining(endedAnywhere(url, quoted))).status, "success")
  yield* tron.mine(25)
  assert.deepStrictEqual(yield* resultsOf(quoted), ["SUCCESS"])
  assert.strictEqual(yield* heldOnTron(TRX, recipient), BigInt(quoted.details.currencyOut.amount))
})

layer(Running.layer, { excludeTestServices: true })("a fill on Tron", (it) => {
  it.effect("whose call fails in its block is refunded once that is final, and not made again", () =>
    Effect.gen(function*() {
      const { chains, fresh, heldOnTron, key, tron, url, whileMining } = yield* Running
      const refundTo = fresh()
      const { quoted, recipient } = yield* begun(0, usdt, { refundTo })
      // The node tells less energy than the call takes.
      yield* tron.setFault({
        kind: "lie",
        methods: ["/wallet/triggerconstantcontract"],
        tell: (said) => typeof said === "object" ? { ...said, energy_used: 500 } : said
      })
      yield* execute(chains.alpha, key(0), quoted)
      yield* eventually(
        "it is in a block",
        Effect.andThen(tron.mine(), resultsOf(quoted)),
        (results) => results.length === 1
      )
      yield* tron.setFault(undefined)
      assert.deepInclude(yield* whileMining(endedAnywhere(url, quoted)), { status: "refund" })
      yield* tron.mine(25)
      assert.deepStrictEqual(yield* resultsOf(quoted), ["OUT_OF_ENERGY"])
      assert.strictEqual(yield* heldOnTron(usdt, recipient), 0n)
      const returned = yield* balanceOf(chains.alpha, refundTo)
      assert.isTrue(returned > 0n && returned < parseEther("0.05"), `${returned}`)
    }))

  it.effect("is paid once when the node has taken it and its answer is lost", () =>
    Effect.gen(function*() {
      const { chains, key, tron } = yield* Running
      const transfer = yield* begun(1, TRX)
      let broadcasts = 0
      yield* tron.setFault({
        kind: "lie",
        methods: ["/wallet/broadcasthex"],
        tell: () => {
          broadcasts += 1
          return "<html>"
        }
      })
      yield* execute(chains.alpha, key(1), transfer.quoted)
      yield* eventually("it is sent again", Effect.sync(() => broadcasts), (count) => count > 1)
      yield* tron.setFault(undefined)
      yield* paidOnce(transfer)
    }))

  it.effect("is made again when its broadcast has no answer until it has expired, and never twice", () =>
    Effect.gen(function*() {
      const { chains, key, tron } = yield* Running
      const transfer = yield* begun(2, TRX)
      const seen = new Set<string>()
      // The node is asked, and is not done before the payment has expired.
      yield* tron.setFault({ kind: "delay", methods: ["/wallet/broadcasthex"], milliseconds: 5_000 })
      yield* execute(chains.alpha, key(2), transfer.quoted)
      yield* eventually(
        "it waits for the node or a block",
        Effect.sync(() => {
          for (const { txID } of tron.chain.waiting()) seen.add(txID)
          return seen.size
        }),
        (count) => count > 0
      )
      tron.chain.wait(tron.chain.ledger.tip.timestamp + 11 * 60_000)
      yield* Effect.promise(() => tron.chain.mine(21))
      yield* tron.setFault(undefined)
      yield* paidOnce(transfer)
      const [first] = seen
      assert.isUndefined(tron.chain.ledger.placeOf(first ?? ""))
    }))
})
