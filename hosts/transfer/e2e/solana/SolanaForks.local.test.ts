import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { randomBytes } from "node:crypto"
import { parseEther, toHex } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { keyOfSeed } from "../../../localnet/nodes/solana/node/LocalKey.ts"
import { solanaChainId as SOLANA_CHAIN } from "../../../localnet/nodes/solana/SolanaChain.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { execute, quote } from "../../testing/Client.ts"
import { alarms, balanceOf, closed, eventually } from "../../testing/Misbehaving.ts"
import { controlSlots } from "../../testing/Slots.ts"
import { endedAnywhere, quoteSolana, sendSolana, solanaBalances, statusAnywhere } from "../../testing/SolanaClient.ts"
import type { SolanaQuote } from "../../testing/SolanaClient.ts"
import { SOL, startSolanaNetwork } from "../../testing/SolanaNetwork.ts"

const NATIVE = "0x0000000000000000000000000000000000000000"
const LAMPORTS = 1_000_000_000n
const NO_BEAT = 3_600_000
/** Slots: a fork of this depth can remove every block that a payment has named, and nothing that was final. */
const FINAL_AFTER = 40

/** Fifteen dollars of SOL are filled as soon as they are confirmed, seven hundred only once they are final. */
class Running extends fixtureOf<Running>()(
  "test/SolanaForksRunning",
  startFixture(
    Effect.gen(function*() {
      const network = yield* startSolanaNetwork(NO_BEAT, FINAL_AFTER)
      return { ...network, slots: yield* controlSlots(network.solana) }
    }),
    { settings: { UNFINAL_EXPOSURE_USER_USD: "20" } }
  )
) {}

const fresh = (index: number): Hex => toHex(0xb0000000000 + index, { size: 20 })

/** A deposit of SOL for ether on beta, by its own user. */
const fromSolana = Effect.fnUntraced(function*(index: number, amount: bigint, changes: object = {}) {
  const { chains: { beta }, slots, solana, solanaUsers, url } = yield* Running
  const user = solanaUsers[index]
  if (user === undefined) return yield* Effect.die(new Error("no such user"))
  yield* slots.beat
  const quoted = yield* quoteSolana(url, {
    user: user.address,
    recipient: fresh(index),
    originChainId: SOLANA_CHAIN,
    destinationChainId: beta.chainId,
    originCurrency: SOL,
    destinationCurrency: NATIVE,
    amount: amount.toString(),
    tradeType: "EXACT_INPUT",
    ...changes
  })
  const data = quoted.steps[0]?.items[0]?.data
  if (data === undefined) return yield* Effect.die(new Error("no deposit"))
  return {
    quoted,
    user,
    out: BigInt(quoted.details.currencyOut.amount),
    send: sendSolana(solana.url, [user], data),
    paid: balanceOf(beta, fresh(index))
  }
})

const toSolana = Effect.fnUntraced(function*(index: number) {
  const { chains: { alpha, users }, solana, slots, url } = yield* Running
  const recipient = keyOfSeed(new Uint8Array(randomBytes(32))).address
  const key = users[index] ?? "0x"
  yield* slots.beat
  const quoted = yield* quote(url, {
    user: privateKeyToAccount(key).address,
    recipient,
    originChainId: alpha.chainId,
    destinationChainId: SOLANA_CHAIN,
    originCurrency: NATIVE,
    destinationCurrency: SOL,
    amount: parseEther("0.05").toString(),
    tradeType: "EXACT_INPUT"
  })
  return {
    quoted,
    out: BigInt(quoted.details.currencyOut.amount),
    send: execute(alpha, key, quoted),
    paid: Effect.map(solanaBalances(solana.url, recipient), ({ lamports }) => lamports)
  }
})

const statusIs = (
  quoted: Pick<SolanaQuote, "steps"> | { readonly steps: ReadonlyArray<{ readonly requestId: string }> },
  status: string
) =>
  Effect.flatMap(
    Running,
    ({ url }) => eventually(`the request is ${status}`, statusAnywhere(url, quoted), (seen) => seen.status === status)
  )

/** Enough time for everything in flight to be polled a few times. Reads of the chain continue meanwhile. */
const aWhile = Effect.sleep(1_500)

/** Checks that must hold now, and still after a while: run once for all of them, at the end. */
const lasting: Array<Effect.Effect<void, never, Running>> = []
const holdsFromNow = (check: Effect.Effect<void, never, Running>) =>
  Effect.andThen(
    check,
    Effect.sync(() => {
      lasting.push(check)
    })
  )

layer(Running.layer, { excludeTestServices: true })("a fork of a Solana chain", (it) => {
  it.effect("removes a deposit that is being confirmed: the request waits again, nothing is paid, and a later deposit is filled", () =>
    Effect.gen(function*() {
      const { slots, url } = yield* Running
      const { out, paid, quoted, send } = yield* fromSolana(0, 5n * LAMPORTS)
      const { running } = yield* slots.confirmedBy("the deposit is there", send)
      yield* Fiber.join(running)
      yield* statusIs(quoted, "depositing")
      yield* slots.fork(3)
      yield* statusIs(quoted, "waiting")
      yield* slots.beat
      yield* aWhile
      assert.strictEqual(yield* paid, 0n)
      yield* send
      assert.strictEqual((yield* endedAnywhere(url, quoted)).status, "success")
      assert.strictEqual(yield* paid, out)
    }))

  it.effect("moves a deposit that was filled to another block: it is filled once and never refunded", () =>
    Effect.gen(function*() {
      const { slots, solana, url } = yield* Running
      const before = yield* closed(url, "filled")
      const refundTo = keyOfSeed(new Uint8Array(randomBytes(32))).address
      const { out, paid, quoted, send } = yield* fromSolana(1, LAMPORTS / 10n, { refundTo })
      const { signature } = yield* slots.confirmedBy("the deposit is there", send)
      assert.strictEqual((yield* endedAnywhere(url, quoted)).status, "success")
      const old = solana.chain.ledger.transaction(signature)?.slot ?? 0
      yield* slots.fork(2, [signature])
      assert.isAbove(solana.chain.ledger.transaction(signature)?.slot ?? 0, old)
      yield* slots.beat
      yield* eventually("it is closed as filled", closed(url, "filled"), (count) => count > before)
      yield* holdsFromNow(Effect.gen(function*() {
        assert.strictEqual(yield* paid, out)
        assert.strictEqual((yield* statusAnywhere(url, quoted)).status, "success")
        assert.strictEqual((yield* solanaBalances(solana.url, refundTo)).lamports, 0n)
      }))
    }))

  it.effect("removes a deposit that was filled before it was final: an alarm says so, and nothing more is paid", () =>
    Effect.gen(function*() {
      const { slots, url } = yield* Running
      const before = yield* closed(url, "gone")
      const { out, paid, quoted, send } = yield* fromSolana(2, LAMPORTS / 10n)
      yield* slots.confirmedBy("the deposit is there", send)
      assert.strictEqual((yield* endedAnywhere(url, quoted)).status, "success")
      yield* slots.fork(2)
      yield* slots.beat
      yield* eventually("the alarm", alarms(url, "filled-deposit-gone"), (count) => count === 1)
      yield* eventually("it is closed: it is gone", closed(url, "gone"), (count) => count > before)
      yield* holdsFromNow(Effect.gen(function*() {
        assert.strictEqual(yield* paid, out)
        assert.strictEqual(yield* alarms(url, "chain-halted"), 0)
      }))
    }))

  it.effect("removes a fill: the same bytes are sent again, and the recipient is paid once", () =>
    Effect.gen(function*() {
      const { slots, solana, url } = yield* Running
      const { out, paid, quoted, send } = yield* toSolana(3)
      const { signature } = yield* slots.confirmedBy("the fill is there", send)
      assert.strictEqual((yield* endedAnywhere(url, quoted)).status, "success")
      assert.strictEqual(yield* paid, out)
      yield* slots.fork(2)
      assert.strictEqual(yield* paid, 0n)
      const { signature: again } = yield* slots.confirmedBy("the fill is there again", Effect.void)
      assert.strictEqual(again, signature)
      yield* slots.beat
      yield* eventually(
        "it is final",
        Effect.sync(() => solana.chain.commitmentOf(solana.chain.ledger.transaction(signature)?.slot ?? Infinity)),
        (at) => at === "finalized"
      )
      yield* holdsFromNow(Effect.map(paid, (amount) => {
        assert.strictEqual(amount, out)
      }))
    }))

  it.effect("removes a fill and the block that it names: it is proven expired before another is signed, and the recipient is paid once", () =>
    Effect.gen(function*() {
      const { slots, solana, url } = yield* Running
      const { out, paid, quoted, send } = yield* toSolana(4)
      const { signature } = yield* slots.confirmedBy("the fill is there", send)
      assert.strictEqual((yield* endedAnywhere(url, quoted)).status, "success")
      yield* slots.fork(slots.depthOf(signature))
      yield* slots.beat
      // While it can be executed nothing replaces it.
      yield* aWhile
      assert.strictEqual(yield* paid, 0n)
      yield* solana.mine(160)
      yield* eventually("it is paid by another", paid, (amount) => amount > 0n)
      yield* solana.mine(5)
      yield* holdsFromNow(Effect.gen(function*() {
        assert.strictEqual(yield* paid, out)
        assert.isUndefined(solana.chain.ledger.transaction(signature))
        assert.strictEqual((yield* statusAnywhere(url, quoted)).status, "success")
      }))
    }))

  it.effect("removes a refund: the same bytes are sent again, and it is refunded once", () =>
    Effect.gen(function*() {
      const { slots, solana, url } = yield* Running
      const refundTo = keyOfSeed(new Uint8Array(randomBytes(32))).address
      const { paid, quoted, send } = yield* fromSolana(5, LAMPORTS, { refundTo, referrer: "force-refund" })
      yield* send
      const { signature } = yield* slots.confirmedBy("the refund is there", Effect.void)
      assert.strictEqual((yield* endedAnywhere(url, quoted)).status, "refund")
      const refunded = Effect.map(solanaBalances(solana.url, refundTo), ({ lamports }) => lamports)
      assert.strictEqual(yield* refunded, LAMPORTS - 5_000n)
      yield* slots.fork(2)
      assert.strictEqual(yield* refunded, 0n)
      const { signature: again } = yield* slots.confirmedBy("the refund is there again", Effect.void)
      assert.strictEqual(again, signature)
      yield* slots.beat
      yield* holdsFromNow(Effect.gen(function*() {
        assert.strictEqual(yield* refunded, LAMPORTS - 5_000n)
        assert.strictEqual(yield* paid, 0n)
      }))
    }))

  it.effect("is over: some time later nothing was paid twice", () =>
    Effect.gen(function*() {
      assert.lengthOf(lasting, 5)
      yield* aWhile
      yield* Effect.all(lasting)
    }))
})
