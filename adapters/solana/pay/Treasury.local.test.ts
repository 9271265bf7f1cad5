/** Payments on a local Solana chain: executed once, and signed again only when the first is proven dead. */
import { assert, layer } from "@effect/vitest"
import { address } from "@solana/kit"
import type { Address as SolanaAddress } from "@solana/kit"
import { Context, Effect, Layer } from "effect"
import { Gas } from "../../../ports/chain/Gas.ts"
import { SentTransactions } from "../../../ports/chain/SentTransactions.ts"
import { PaymentRefused, Treasury } from "../../../ports/chain/Treasury.ts"
import type { PlainPayment } from "../../../ports/chain/PaymentKinds.ts"
import type { SignedPayment } from "../../../ports/chain/Treasury.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { decodeSigned } from "./SignedBytes.ts"
import { newAddress, newOrder, ours, SOL, startFixture } from "./testing/PaymentFixture.ts"

class Fixture extends Context.Service<Fixture, Effect.Success<typeof startFixture>>()("test/SolanaStage") {
  static readonly layer = Layer.effect(Fixture, Effect.suspend(() => startFixture))
}

const RENT = 2_039_280n

const paymentTo = Effect.fnUntraced(function*(recipient: SolanaAddress, amount: bigint, currency?: Currency) {
  const { chain, native } = yield* Fixture
  return {
    _tag: "Payout",
    chain,
    currency: currency ?? native,
    recipient: ours(recipient),
    amount,
    orderId: newOrder()
  } satisfies PlainPayment
})

const signed = Effect.fnUntraced(function*(payment: PlainPayment) {
  const treasury = yield* Treasury
  const prepared = yield* treasury.prepare(payment)
  return { prepared, signed: yield* prepared.sign(0n, []) }
})

const outcomeOf = Effect.fnUntraced(function*(one: SignedPayment) {
  const { chain } = yield* Fixture
  const treasury = yield* Treasury
  return yield* treasury.outcome(chain, [one], "endpoint")
})

const send = Effect.fnUntraced(function*(one: SignedPayment) {
  const { chain } = yield* Fixture
  const treasury = yield* Treasury
  return yield* treasury.broadcast(chain, one)
})

const refusal = (payment: PlainPayment) =>
  Effect.gen(function*() {
    const treasury = yield* Treasury
    const refused = yield* Effect.flip(treasury.prepare(payment))
    return refused instanceof PaymentRefused ? refused.reason : refused._tag
  })

/** Mines so many blocks that every earlier blockhash is too old, in final blocks too. */
const outlive = Effect.gen(function*() {
  const { local } = yield* Fixture
  yield* local.mine(151 + local.chain.options.finalizedAfter)
})

/** With the adapter's ports over this file's chain. */
const withFixture = <A, E>(program: Effect.Effect<A, E, Gas | SentTransactions | Fixture | Treasury>) =>
  Effect.flatMap(
    Fixture,
    (fixture) => Effect.ensuring(Effect.provide(program, fixture.adapters), fixture.local.setFault(undefined))
  )

layer(Fixture.layer, { excludeTestServices: true })("the Solana treasury", (it) => {
  it.effect("pays lamports once however often it is broadcast, names the order in one memo, and costs what was estimated", () =>
    withFixture(Effect.gen(function*() {
      const { lamportsOf, local, solver } = yield* Fixture
      const recipient = yield* newAddress
      const payment = yield* paymentTo(recipient, SOL)
      const before = lamportsOf(solver)
      const gas = yield* Gas
      assert.deepStrictEqual(yield* gas.opening(payment), { rent: 0n, least: 890_880n, canFail: true })
      const { prepared, signed: one } = yield* signed(payment)
      assert.deepStrictEqual(prepared.costs.map(({ amount, holder }) => [holder, amount]), [[
        ours(solver),
        SOL + 5_000n
      ]])
      assert.strictEqual((yield* outcomeOf(one))._tag, "Unseen")
      for (let times = 0; times < 3; times += 1) assert.strictEqual(yield* send(one), "accepted")
      yield* local.mine()
      const outcome = yield* outcomeOf(one)
      assert.deepInclude(outcome, {
        _tag: "Included",
        succeeded: true,
        gasPaid: 5_000n,
        final: false,
        transactionId: one.transactionId
      })
      yield* local.finalize
      assert.deepInclude(yield* outcomeOf(one), { _tag: "Included", final: true })
      yield* outlive
      // An executed payment stays executed, whatever blocks are recent now, and is not executed again.
      assert.strictEqual(yield* send(one), "accepted")
      assert.deepInclude(yield* outcomeOf(one), { _tag: "Included", final: true })
      assert.strictEqual(lamportsOf(recipient), SOL)
      assert.deepStrictEqual(yield* gas.opening(payment), { rent: 0n, least: 0n, canFail: true })
      assert.strictEqual(before - lamportsOf(solver), SOL + 5_000n)
      assert.strictEqual(local.chain.ledger.transaction(one.transactionId)?.memo, `[66] ${payment.orderId}`)
    })))

  it.effect("pays tokens to the recipient's own account, opens it when it is missing, and reports what that costs", () =>
    withFixture(Effect.gen(function*() {
      const { chain, lamportsOf, local, solver, tokensOf, usdc } = yield* Fixture
      const treasury = yield* Treasury
      const gas = yield* Gas
      const recipient = yield* newAddress
      for (const rent of [RENT, 0n]) {
        const payment = yield* paymentTo(recipient, 250_000n, usdc)
        const before = lamportsOf(solver)
        assert.deepStrictEqual(yield* gas.opening(payment), { rent, least: 0n, canFail: true, rentOnceClosed: RENT })
        assert.strictEqual(yield* gas.ofPayment(payment), 5_000n)
        const { prepared, signed: one } = yield* signed(payment)
        assert.deepStrictEqual(prepared.costs.map(({ amount, currency }) => [currency, amount]), [[
          payment.chain.native.address,
          5_000n + rent
        ], [usdc.address, 250_000n]])
        assert.strictEqual(yield* send(one), "accepted")
        yield* local.mine()
        assert.deepInclude(yield* outcomeOf(one), {
          _tag: "Included",
          succeeded: true,
          gasPaid: 5_000n,
          rentPaid: rent
        })
        assert.strictEqual(before - lamportsOf(solver), 5_000n + rent)
      }
      const held = local.chain.read(yield* tokensOf(recipient), "processed")
      assert.strictEqual(
        new DataView(held?.data.buffer ?? new ArrayBuffer(0), held?.data.byteOffset).getBigUint64(64, true),
        500_000n
      )
      assert.deepStrictEqual(yield* treasury.inventory(chain, usdc, "account"), [1_000_000_000n - 500_000n])
    })))

  it.effect("reports a payment as expired only when a final block is past its last block and none contains it", () =>
    withFixture(Effect.gen(function*() {
      const { lamportsOf, local } = yield* Fixture
      const recipient = yield* newAddress
      const { signed: lost } = yield* signed(yield* paymentTo(recipient, SOL))
      const { lastValidBlockHeight } = decodeSigned(lost.raw)
      while (BigInt(local.chain.heightAt("finalized")) < lastValidBlockHeight) {
        yield* local.mine(1)
        // Even when its blockhash is too old for the head: a block that is not final may still be replaced by one that
        // accepts it.
        if (BigInt(local.chain.heightAt("finalized")) % 50n === 0n) {
          assert.strictEqual((yield* outcomeOf(lost))._tag, "Unseen")
        }
      }
      assert.strictEqual((yield* outcomeOf(lost))._tag, "Unseen")
      yield* local.mine(1)
      assert.strictEqual((yield* outcomeOf(lost))._tag, "Expired")
      // The chain does not accept it any more, whatever is sent to a node.
      yield* send(lost)
      yield* local.mine(1)
      assert.strictEqual(lamportsOf(recipient), 0n)
      assert.strictEqual((yield* outcomeOf(lost))._tag, "Expired")
    })))

  it.effect("gives no result from a node that failed, pruned, lags, or keeps too little history", () =>
    withFixture(Effect.gen(function*() {
      const { local } = yield* Fixture
      const recipient = yield* newAddress
      const { signed: lost } = yield* signed(yield* paymentTo(recipient, SOL))
      yield* outlive
      const doubted = Effect.map(Effect.flip(outcomeOf(lost)), ({ _tag }) => _tag)
      for (const methods of [["getSignatureStatuses"], ["getBlockHeight"], ["getSlot"], ["getFirstAvailableBlock"]]) {
        yield* local.setFault({ methods, kind: "error", code: -32_000, message: "no" })
        assert.strictEqual(yield* doubted, "ChainUnavailable", methods[0])
      }
      yield* local.setFault({
        methods: ["getFirstAvailableBlock"],
        kind: "lie",
        tell: () => local.chain.ledger.open.slot - 1
      })
      assert.strictEqual(yield* doubted, "ChainUnavailable")
      yield* local.setFault({
        methods: ["getSignatureStatuses"],
        kind: "lie",
        tell: () => ({ context: { apiVersion: "3.0.0", slot: 1 }, value: [null] })
      })
      assert.strictEqual(yield* doubted, "ChainUnavailable")
      yield* local.setFault({ methods: ["getBlockHeight"], kind: "lie", tell: () => 1 })
      assert.strictEqual((yield* outcomeOf(lost))._tag, "Unseen")
      yield* local.setFault(undefined)
      assert.strictEqual((yield* outcomeOf(lost))._tag, "Expired")
    })))

  it.effect("loses a payment that a rollback removed, and the same bytes are executed again", () =>
    withFixture(Effect.gen(function*() {
      const { lamportsOf, local } = yield* Fixture
      const recipient = yield* newAddress
      yield* local.mine(5)
      const { signed: one } = yield* signed(yield* paymentTo(recipient, SOL))
      yield* local.mine()
      yield* send(one)
      yield* local.mine()
      assert.strictEqual((yield* outcomeOf(one))._tag, "Included")
      yield* local.rollback(3)
      assert.strictEqual(lamportsOf(recipient), 0n)
      assert.strictEqual((yield* outcomeOf(one))._tag, "Unseen")
      assert.strictEqual(yield* send(one), "accepted")
      yield* local.mine()
      assert.deepInclude(yield* outcomeOf(one), { _tag: "Included", succeeded: true })
      assert.strictEqual(lamportsOf(recipient), SOL)
    })))

  it.effect("refuses payments that nobody would receive, and those that it cannot fund", () =>
    withFixture(Effect.gen(function*() {
      const { account, local, mint, solver, tokensOf, usdc } = yield* Fixture
      const treasury = yield* Treasury
      const recipient = yield* newAddress
      const vault = yield* tokensOf(yield* newAddress)
      assert.strictEqual(yield* refusal(yield* paymentTo(recipient, 2_000n * SOL)), "insufficient-funds")
      assert.strictEqual(yield* refusal(yield* paymentTo(recipient, 10n ** 12n, usdc)), "insufficient-funds")
      // Below the minimum balance of an account.
      assert.strictEqual(yield* refusal(yield* paymentTo(recipient, 890_879n)), "reverts")
      // A program, a mint, a token account, and a token account that does not exist yet.
      for (
        const nobody of [address("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"), mint, yield* tokensOf(solver), vault]
      ) {
        for (const currency of [undefined, usdc]) {
          assert.strictEqual(
            yield* refusal(yield* paymentTo(nobody, SOL / 100n, currency)),
            "reverts",
            `${nobody} ${currency?.symbol}`
          )
        }
      }
      // A program's account that acts as a wallet is one once it exists.
      local.chain.setAccount(vault, account(new Uint8Array(), address("11111111111111111111111111111111")))
      yield* local.mine(2)
      yield* treasury.prepare(yield* paymentTo(vault, SOL))
    })))

  it.effect("lists after a restore everything that was paid, and knows when no earlier payment can appear any more", () =>
    withFixture(Effect.gen(function*() {
      const { chain, local, solver, usdc } = yield* Fixture
      const sent = yield* SentTransactions
      const start = (yield* sent.position(chain, ours(solver), "quorum")).height
      const recipient = yield* newAddress
      const payments = [yield* paymentTo(recipient, SOL), yield* paymentTo(recipient, 70_000n, usdc)]
      for (const payment of payments) {
        yield* send((yield* signed(payment)).signed)
        yield* local.mine()
      }
      const { signed: forgotten } = yield* signed(yield* paymentTo(recipient, SOL))
      const { counted, sequence: fence } = yield* sent.position(chain, ours(solver), "quorum")
      assert.isFalse(counted)
      const found = yield* sent.between(
        chain,
        start,
        (yield* sent.position(chain, ours(solver), "quorum")).height,
        "quorum"
      )
      assert.deepStrictEqual(
        found.map(({ payment, sequence, succeeded }) => [payment, sequence, succeeded]),
        payments.map((
          { amount, currency, orderId, recipient: to }
        ) => [{ orderId, recipient: to, currency: currency.address, amount }, undefined, true])
      )
      assert.deepStrictEqual(sent.accountsOn(chain), [ours(solver)])
      for (const each of found) {
        assert.strictEqual((yield* sent.find(chain, each.transactionId))?.transactionId, each.transactionId)
      }
      // Until final blocks pass the fence, a lost payment may still be executed. After that it never can be.
      while ((yield* sent.position(chain, ours(solver), "quorum")).finalSequence < fence) {
        assert.notStrictEqual((yield* outcomeOf(forgotten))._tag, "Included")
        yield* local.mine(10)
      }
      assert.strictEqual((yield* outcomeOf(forgotten))._tag, "Expired")
      // Payments that were found can be followed like stored ones.
      for (const each of found) assert.deepInclude(yield* outcomeOf(each), { _tag: "Included", final: true })
    })))

  it.effect("lists after a restore also what was executed last, where a node's index is seconds later than its blocks", () =>
    withFixture(Effect.gen(function*() {
      const { chain, local, solver } = yield* Fixture
      const sent = yield* SentTransactions
      const position = sent.position(chain, ours(solver), "quorum")
      const payment = yield* paymentTo(yield* newAddress, SOL)
      const { signed: forgotten } = yield* signed(payment)
      const { height: start, sequence: fence } = yield* position
      yield* local.mine(140)
      assert.strictEqual(yield* send(forgotten), "accepted")
      yield* local.mine()
      // Ten seconds at 200 ms.
      const isListed = (each: unknown): boolean =>
        Number(Object.getOwnPropertyDescriptor(each, "slot")?.value) <= local.chain.slotAt("confirmed") - 50
      yield* local.setFault({
        kind: "lie",
        methods: ["getSignaturesForAddress"],
        tell: (listed) => Array.isArray(listed) ? listed.filter(isListed) : listed
      })
      let now = yield* position
      for (; now.finalSequence < fence; now = yield* position) yield* local.mine(5)
      const found = yield* sent.between(chain, start, now.finalHeight, "quorum")
      yield* local.setFault(undefined)
      assert.deepStrictEqual(found.map((each) => each.payment?.orderId), [payment.orderId])
    })))

  it.effect("is not refused for a blockhash that the simulating node does not know, or no longer knows", () =>
    withFixture(Effect.gen(function*() {
      const { local } = yield* Fixture
      const payment = yield* paymentTo(yield* newAddress, SOL)
      const unknown = {
        kind: "lie",
        methods: ["getLatestBlockhash"],
        tell: (result: unknown) =>
          JSON.parse(JSON.stringify(result, (key, value: unknown) => {
            if (key === "blockhash") return "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM"
            return typeof value === "bigint" ? Number(value) : value
          })) as unknown
      } as const
      yield* local.setFault(unknown)
      const { signed: expired } = yield* signed(payment)
      yield* local.setFault(undefined)
      // A payment signed with it cannot land, and is proven dead like any other.
      assert.strictEqual((yield* outcomeOf(expired))._tag, "Unseen")
    })))

  it.effect("is not signed when it is only simulated: a node never sees a signature before it is stored", () =>
    withFixture(Effect.gen(function*() {
      const { local } = yield* Fixture
      const recipient = yield* newAddress
      const seen: Array<string> = []
      yield* local.setFault({
        kind: "lie",
        tell: (result, method, params) => {
          if (method === "simulateTransaction") {
            seen.push(
              Buffer.from(String((params as ReadonlyArray<unknown>)[0]), "base64").subarray(1, 65).toString("hex")
            )
          }
          return result
        }
      })
      yield* signed(yield* paymentTo(recipient, SOL))
      assert.deepStrictEqual(seen, ["00".repeat(64)])
    })))
})
