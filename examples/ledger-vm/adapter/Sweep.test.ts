/** Sweeps of deposit addresses, on a ledger in memory. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Redacted } from "effect"
import { type Address, Hex, Hex32, type KeyPlace, OrderId } from "causeway-kit"
import { DepositKeyring, Signatures, type SweepPayment, Treasury } from "causeway-kit/ports"
import { LocalSignatures, LocalSigner } from "causeway-kit/adapters/signing"
import { accountOn, entryOf, unitsOf } from "../ledger/Ledger.ts"
import { ledgerRules } from "../rules/LedgerRules.ts"
import { depository, keyOf, makeFixture, memoryUrl, sendBy, solver, solverSigner, terms } from "../testing/Fixture.ts"
import { layer as layerPorts } from "./TransferPorts.ts"

const place: KeyPlace = { generation: 3, number: 7 }
const seed = Redacted.make(Hex.make(`0x${"5e".repeat(32)}`))
const orderId = OrderId.make(Hex32.make(`0x${"a1".repeat(32)}`))
const userKey = keyOf(2)

/** A ledger, the ports of a worker on it, and an address of its seed. */
const started = Effect.gen(function*() {
  const { chain, ledger, node } = yield* makeFixture
  const secp256k1 = yield* LocalSigner.localSecp256k1Tree(seed).pipe(
    Effect.provideService(Signatures, LocalSignatures.makeSignatures(undefined))
  )
  const noEd25519 = () => Effect.die(new Error("no key of a ledger"))
  const ports = yield* Layer.build(
    layerPorts(() => Effect.succeed(node), { urls: new Map([[chain.id, [memoryUrl]]]) }, {
      solver: solverSigner,
      deposits: { secp256k1, ed25519: noEd25519 }
    })
  )
  const address = yield* Effect.gen(function*() {
    const derive = (yield* DepositKeyring).deriverOf(ledgerRules)
    return derive === undefined ? yield* Effect.die(new Error("no deriver")) : yield* derive(place)
  }).pipe(Effect.provideContext(ports))
  const [native, token] = [chain.native, chain.currencies[1] ?? chain.native]
  const sweepOf = (currency = token, key: KeyPlace = place): SweepPayment => ({
    _tag: "Sweep",
    chain,
    currency: native,
    recipient: address,
    amount: 0n,
    orderId,
    sweep: { address, key, orderId, depositor: address, depositId: orderId, currency: currency.address }
  })
  const pay = (currency = token, amount = 5_000n) =>
    sendBy(node, userKey, {
      ledger: ledger.genesisHash,
      recipient: address,
      currency: currency.address,
      amount,
      fee: terms.fee,
      memo: ""
    })
  const held = (of: Address, currency = token) => unitsOf(accountOn(ledger.state(), of), currency.address)
  const treasury = yield* Effect.provideContext(Treasury, ports)
  const signed = Effect.fnUntraced(function*(payment: SweepPayment) {
    const prepared = yield* treasury.prepare(payment)
    return yield* prepared.sign(prepared.chainSequence, [])
  })
  return { address, chain, held, ledger, native, pay, signed, sweepOf, token, treasury }
})

describe("a sweep on a ledger", () => {
  it.effect("moves the whole balance into the depository, names the order, and costs the solver the fee alone", () =>
    Effect.scoped(Effect.gen(function*() {
      const { address, chain, held, ledger, native, pay, signed, sweepOf, token, treasury } = yield* started
      for (const currency of [token, native]) {
        yield* pay(currency)
        yield* ledger.mine()
        const [deposited, paid] = [held(depository, currency), held(solver, native)]
        const sweep = yield* signed(sweepOf(currency))
        assert.strictEqual(held(address, currency), 5_000n)
        // It can be sent any number of times.
        for (let times = 0; times < 2; times += 1) {
          assert.strictEqual(yield* treasury.broadcast(chain, sweep), "accepted")
        }
        yield* ledger.mine()
        assert.strictEqual(held(address, currency), 0n)
        assert.strictEqual(held(depository, currency) - deposited, 5_000n)
        assert.strictEqual(paid - held(solver, native), terms.fee)
        const outcome = yield* treasury.outcome(chain, [sweep], "endpoint")
        assert.deepInclude(outcome, { _tag: "Included", succeeded: true, gasPaid: terms.fee })
        assert.strictEqual(entryOf(ledger.state(), sweep.transactionId)?.entry.signed.transfer.memo, orderId)
      }
    })))

  it.effect("fails and moves nothing if the money is gone by then, and the next sweep is possible", () =>
    Effect.scoped(Effect.gen(function*() {
      const { address, chain, held, ledger, pay, signed, sweepOf, treasury } = yield* started
      yield* pay()
      yield* ledger.mine()
      const sweep = yield* signed(sweepOf())
      yield* ledger.takeBack
      assert.strictEqual(yield* treasury.broadcast(chain, sweep), "accepted")
      yield* ledger.mine()
      assert.deepInclude(yield* treasury.outcome(chain, [sweep], "endpoint"), { _tag: "Included", succeeded: false })
      assert.strictEqual(held(depository), 0n)
      yield* pay()
      yield* ledger.mine()
      yield* treasury.broadcast(chain, yield* signed(sweepOf()))
      yield* ledger.mine()
      assert.strictEqual(held(depository), 5_000n)
      assert.strictEqual(held(address), 0n)
    })))

  it.effect("is refused for an empty address, and never signed with another key than the address's", () =>
    Effect.scoped(Effect.gen(function*() {
      const { ledger, pay, sweepOf, token, treasury } = yield* started
      assert.deepInclude(yield* Effect.flip(treasury.prepare(sweepOf())), { _tag: "PaymentRefused", reason: "reverts" })
      yield* pay()
      yield* ledger.mine()
      const other = yield* Effect.exit(treasury.prepare(sweepOf(token, { ...place, number: 8 })))
      assert.isTrue(Exit.hasDies(other))
    })))
})
