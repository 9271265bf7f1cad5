/** Payments on a chain whose rent is not what it was (SOLANA-24): lower from the start, and changed between two reads. */
import { assert, layer } from "@effect/vitest"
import type { Address as SolanaAddress } from "@solana/kit"
import { Context, Effect, Layer } from "effect"
import { Gas } from "../../../ports/chain/Gas.ts"
import { PaymentRefused, Treasury } from "../../../ports/chain/Treasury.ts"
import type { PlainPayment } from "../../../ports/chain/PaymentKinds.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { Solana } from "../../../hosts/localnet/nodes/solana/Solana.ts"
import { rentAt } from "./testing/FakeClient.ts"
import { newAddress, newOrder, ours, SOL, startFixture } from "./testing/PaymentFixture.ts"

class Fixture extends Context.Service<Fixture, Effect.Success<typeof startFixture>>()("test/SolanaRentFixture") {
  static readonly layer = Layer.effect(Fixture, Effect.suspend(() => startFixture))
}

/** The last price that is planned, and the one before the first step down. */
const [LOW, FIRST] = [696, 6_960]

const setRent = (lamportsAByte: number) =>
  Effect.map(Fixture, ({ local }) => local.chain.bank.setRent(BigInt(lamportsAByte)))

/** With ports that have asked the chain nothing yet. */
const newly = <A, E>(program: Effect.Effect<A, E, Gas | Fixture | Treasury>) =>
  Effect.flatMap(Fixture, ({ adapters }) => Effect.provide(program, Layer.fresh(adapters)))

const paymentOf = (recipient: SolanaAddress, amount: bigint, pick: "native" | "usdc") =>
  Effect.map(Fixture, (fixture): PlainPayment => {
    const currency: Currency = fixture[pick]
    return { _tag: "Payout", chain: fixture.chain, currency, recipient: ours(recipient), amount, orderId: newOrder() }
  })

/** What the treasury takes it to cost, what the chain took from the solver, and what the payment left as rent. */
const carriedOut = Effect.fnUntraced(function*(payment: PlainPayment) {
  const { chain, lamportsOf, local, solver } = yield* Fixture
  const treasury = yield* Treasury
  const before = lamportsOf(solver)
  const prepared = yield* treasury.prepare(payment)
  const signed = yield* prepared.sign(0n, [])
  assert.strictEqual(yield* treasury.broadcast(chain, signed), "accepted")
  yield* local.mine()
  const outcome = yield* treasury.outcome(chain, [signed], "endpoint")
  return {
    rent: prepared.rent,
    cost: prepared.costs[0]?.amount,
    taken: before - lamportsOf(solver),
    rentPaid: outcome._tag === "Included" && outcome.succeeded ? outcome.rentPaid : undefined
  }
})

layer(Fixture.layer, { excludeTestServices: true })("payments at another rent", (it) => {
  it.effect("cost that rent, to the unit, when they open an account", () =>
    Effect.gen(function*() {
      yield* setRent(LOW)
      yield* newly(Effect.gen(function*() {
        const { chain, lamportsOf, native, solver, tokensOf } = yield* Fixture
        const gas = yield* Gas
        const recipient = yield* newAddress
        for (const rent of [203_928n, 0n]) {
          const payment = yield* paymentOf(recipient, 250_000n, "usdc")
          assert.deepStrictEqual(yield* gas.opening(payment), {
            rent,
            least: 0n,
            canFail: true,
            rentOnceClosed: 203_928n
          })
          const cost = 5_000n + rent
          assert.deepStrictEqual(yield* carriedOut(payment), { rent, cost, taken: cost, rentPaid: rent })
        }
        assert.strictEqual(lamportsOf(yield* tokensOf(recipient)), 203_928n)
        assert.deepStrictEqual(yield* (yield* Treasury).inventory(chain, native, "account"), [
          lamportsOf(solver) - 89_088n
        ])
      }))
    }))

  it.effect("of SOL bring a new account what the chain requires now, and no lamport less", () =>
    Effect.gen(function*() {
      yield* setRent(LOW)
      yield* newly(Effect.gen(function*() {
        const recipient = yield* newAddress
        const small = yield* paymentOf(recipient, 89_087n, "native")
        assert.deepStrictEqual(yield* (yield* Gas).opening(small), { rent: 0n, least: 89_088n, canFail: true })
        const refused = yield* Effect.flip((yield* Treasury).prepare(small))
        assert.isTrue(refused instanceof PaymentRefused && refused.reason === "reverts")
        const { taken } = yield* carriedOut(yield* paymentOf(recipient, 89_088n, "native"))
        assert.strictEqual(taken, 89_088n + 5_000n)
        const { lamportsOf } = yield* Fixture
        assert.strictEqual(lamportsOf(recipient), 89_088n)
      }))
    }))

  it.effect("show a rent that has risen since the quote before they are signed", () =>
    Effect.gen(function*() {
      yield* setRent(LOW)
      const payment = yield* paymentOf(yield* newAddress, 250_000n, "usdc")
      const quoted = yield* newly(Effect.flatMap(Gas, (gas) => gas.opening(payment)))
      yield* setRent(FIRST)
      const paid = yield* newly(carriedOut(payment))
      assert.strictEqual(quoted.rent, 203_928n)
      const cost = 5_000n + 2_039_280n
      assert.deepStrictEqual(paid, { rent: 2_039_280n, cost, taken: cost, rentPaid: 2_039_280n })
    }))

  it.effect("within a minute after that are made as known, cost what the chain takes, and the books have that", () =>
    Effect.gen(function*() {
      yield* setRent(LOW)
      yield* newly(Effect.gen(function*() {
        const payment = yield* paymentOf(yield* newAddress, 250_000n, "usdc")
        assert.strictEqual((yield* (yield* Gas).opening(payment)).rent, 203_928n)
        yield* setRent(FIRST)
        assert.deepStrictEqual(yield* carriedOut(payment), {
          rent: 203_928n,
          cost: 5_000n + 203_928n,
          taken: 5_000n + rentAt(165),
          rentPaid: rentAt(165)
        })
      }))
    }))

  it.effect("ask the next endpoint where one names a rent that no chain has, and refuse when there is none", () =>
    Effect.gen(function*() {
      const { adaptersOver, local } = yield* Fixture
      // The same chain to a client, at another price.
      const other = yield* Solana.start({})
      other.chain.bank.setRent(5_080n)
      const payment = yield* paymentOf(yield* newAddress, SOL, "native")
      const opening = (...urls: ReadonlyArray<string>) =>
        Effect.provide(Effect.flatMap(Gas, (gas) => gas.opening(payment)), adaptersOver(urls))
      for (const told of [0n, (1n << 63n) - 1n]) {
        yield* local.setFault({ kind: "lie", methods: ["getMinimumBalanceForRentExemption"], tell: () => told })
        assert.strictEqual((yield* opening(local.url, other.url)).least, 650_240n, `${told}`)
        assert.strictEqual((yield* Effect.flip(opening(local.url))).kind, "refused", `${told}`)
      }
    }).pipe(
      Effect.scoped,
      Effect.ensuring(Effect.flatMap(Fixture, ({ local }) => local.setFault(undefined)))
    ))
})
