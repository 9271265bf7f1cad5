/**
 * Contracts on Tron that are paid TRX, and take more energy for the payment than they showed while it was priced: what
 * the solver burns is bounded (TRON-23).
 */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { burner } from "../../../hosts/localnet/nodes/tron/testing/OddContracts.ts"
import { Gas, nothingToOpen } from "../../../ports/chain/Gas.ts"
import type { FillPayment, PlainPayment } from "../../../ports/chain/PaymentKinds.ts"
import { Treasury } from "../../../ports/chain/Treasury.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { PLAIN_CALL_ENERGY } from "../../../src/domain/families/tron/cost/TronCosts.ts"
import { holdsUnits } from "../../../src/domain/transfer/payment/CodeUnits.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { newAccount, startPayingTron } from "../testing/PayingTron.ts"

class Fixture extends Context.Service<Fixture, Effect.Success<ReturnType<typeof startPayingTron>>>()(
  "test/TronRecipients"
) {
  static readonly layer = Layer.effect(Fixture, startPayingTron(1))
}

const TRX = 1_000_000n
/** Sun for a unit of energy on the local chain. */
const ENERGY_PRICE = 100n
/** Sun for the bytes of a call, at most. */
const BANDWIDTH = 400_000n

const QUOTED = OrderId.make(`0x${"ff".repeat(32)}`)
const DUE = OrderId.make(`0x${"ab".repeat(32)}`)

const refundTo = Effect.fnUntraced(function*(recipient: Address, amount: bigint, orderId: OrderId) {
  const { chain, native } = yield* Fixture
  return { _tag: "Refund", chain, currency: native, recipient, amount, orderId } satisfies PlainPayment
})

const withFixture = <A, E>(program: Effect.Effect<A, E, Fixture | Gas | Treasury>) =>
  Effect.flatMap(Fixture, ({ ports }) => Effect.provide(program, ports))

layer(Fixture.layer, { excludeTestServices: true })("a contract that is paid TRX", (it) => {
  it.effect("and is cheap only while it is priced for a quote is not paid", () =>
    withFixture(Effect.gen(function*() {
      const { contract } = yield* Fixture
      const [gas, treasury] = [yield* Gas, yield* Treasury]
      const recipient = yield* contract(burner(200))
      // By the id of quotes, and by what quotes try: half of what the solver has.
      for (const [amount, orderId] of [[2n * TRX, QUOTED], [1n, DUE]] as const) {
        assert.isBelow(Number(yield* gas.ofPayment(yield* refundTo(recipient, amount, orderId))), Number(BANDWIDTH))
      }
      const due = yield* refundTo(recipient, 2n * TRX, DUE)
      // A refund's price is that of the refund.
      assert.deepInclude(yield* Effect.flip(gas.ofPayment(due)), { reason: "reverts" })
      assert.deepInclude(yield* Effect.flip(treasury.prepare(due)), { reason: "reverts" })
    })))

  it.effect("and takes more than its quote held is told by its energy, which no quote of it holds (PRICE-26)", () =>
    withFixture(Effect.gen(function*() {
      const { contract } = yield* Fixture
      const [gas, treasury] = [yield* Gas, yield* Treasury]
      // Within what any contract may take.
      const recipient = yield* contract(burner(3))
      const held = yield* gas.unitsOf(yield* refundTo(recipient, 2n * TRX, QUOTED))
      const due = yield* refundTo(recipient, 2n * TRX, DUE)
      const taken = (yield* treasury.prepare(due)).codeUnits ?? 0n
      assert.isTrue(held < 10_000n && taken > 60_000n, `${held}, ${taken}`)
      assert.isFalse(holdsUnits(held, taken))
      // Its next price does.
      assert.isTrue(holdsUnits(yield* gas.unitsOf(due), taken))
      assert.strictEqual((yield* treasury.prepare(yield* refundTo(newAccount(), TRX, DUE))).codeUnits, undefined)
    })))

  it.effect("and needs what a usual contract needs is paid, and a refund bears all of it", () =>
    withFixture(Effect.gen(function*() {
      const { balance, chain, contract, native, own, tron } = yield* Fixture
      const [gas, treasury] = [yield* Gas, yield* Treasury]
      const recipient = yield* contract(burner(3))
      const due = yield* refundTo(recipient, 2n * TRX, DUE)
      const before = yield* balance(own, native)
      const price = yield* gas.ofPayment(due)
      const { costs, mostGas, runsCode, sign } = yield* treasury.prepare(due)
      assert.deepStrictEqual(costs.map(({ amount }) => amount), [price + 2n * TRX])
      assert.deepStrictEqual([mostGas, runsCode], [price, true])
      const one = yield* sign(0n, [])
      yield* treasury.broadcast(chain, one)
      yield* tron.mine()
      const outcome = yield* treasury.outcome(chain, [one], "endpoint")
      assert.deepInclude(outcome, { _tag: "Included", succeeded: true })
      assert.strictEqual(yield* balance(recipient, native), 2n * TRX)
      const burnt = before - (yield* balance(own, native)) - 2n * TRX
      // Three new slots of storage.
      assert.isTrue(burnt > 60_000n * ENERGY_PRICE && burnt <= price, `${burnt} of ${price}`)
    })))

  it.effect("is told from an account, and from what is paid a token, before a fill and in its making (REFUND-11)", () =>
    withFixture(Effect.gen(function*() {
      const { contract, usdc } = yield* Fixture
      const [gas, treasury] = [yield* Gas, yield* Treasury]
      const code = yield* contract(burner(3))
      for (const [recipient, isToken] of [[code, false], [code, true], [newAccount(), false]] as const) {
        const paid = yield* refundTo(recipient, 70_000n, DUE)
        const fill: FillPayment = {
          ...paid,
          ...(isToken ? { currency: usdc } : {}),
          _tag: "Fill",
          topup: 0n,
          authorizations: [],
          calls: undefined
        }
        const runs = recipient === code && !isToken
        assert.strictEqual((yield* gas.opening(fill)).code, runs ? "present" : undefined)
        const { mostGas, runsCode } = yield* treasury.prepare(fill)
        assert.deepStrictEqual([mostGas !== undefined, runsCode], [runs, runs || undefined])
      }
      // Nobody but its payer has chosen a refund's recipient.
      assert.deepStrictEqual(yield* gas.opening(yield* refundTo(code, TRX, DUE)), nothingToOpen)
    })))

  it.effect("and changes after its trial burns the bound at most, and is not paid", () =>
    withFixture(Effect.gen(function*() {
      const { balance, chain, contract, native, nodes: [node], own, tron } = yield* Fixture
      const treasury = yield* Treasury
      const recipient = yield* contract(burner(200))
      // The most that a trial may show.
      const shown = Number(PLAIN_CALL_ENERGY * 5n / 6n)
      const tell = (energy: number) =>
        node?.setFault({
          kind: "lie",
          methods: ["/wallet/triggerconstantcontract"],
          tell: (said) => typeof said === "object" ? { ...said, energy_used: energy } : said
        }) ?? Effect.void
      const due = yield* refundTo(recipient, 2n * TRX, DUE)
      yield* tell(shown + 1)
      assert.deepInclude(yield* Effect.flip(treasury.prepare(due)), { reason: "reverts" })
      yield* tell(shown)
      const before = yield* balance(own, native)
      const one = yield* (yield* treasury.prepare(due)).sign(0n, [])
      yield* treasury.broadcast(chain, one)
      yield* tron.mine()
      yield* node?.setFault(undefined) ?? Effect.void
      assert.deepInclude(yield* treasury.outcome(chain, [one], "endpoint"), { _tag: "Included", succeeded: false })
      assert.strictEqual(yield* balance(recipient, native), 0n)
      const burnt = before - (yield* balance(own, native))
      const bound = PLAIN_CALL_ENERGY * ENERGY_PRICE
      assert.isTrue(burnt > bound * 9n / 10n && burnt <= bound + BANDWIDTH, `${burnt}`)
    })))
})
