/** Quotes of users whose account keeps its money on spot (EXCHANGEA-36). The mode is set by the unmodified SDK. */
import { assert, describe, it } from "@effect/vitest"
import { ExchangeClient, HttpTransport } from "@nktkas/hyperliquid"
import { Effect, Layer, Schema } from "effect"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import { StepBuilder } from "../../../ports/chain/StepBuilder.ts"
import type { DepositWay } from "../../../ports/chain/StepBuilder.ts"
import { Address } from "../../../src/domain/chain/Address.ts"
import { ExchangeATransactionData } from "../../../src/domain/families/exchange-a/ExchangeATransactionData.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import { accountOf, startDepositingExchangeA } from "../testing/DepositingExchangeA.ts"
import type { DepositingExchangeA } from "../testing/DepositingExchangeA.ts"
import { layer as layerWatcher } from "../watch/Watcher.ts"
import { layer as layerSteps } from "./Steps.ts"

const FUNDS = 10n ** 14n
const orderId = OrderId.make(`0x${"5a".repeat(32)}`)
const stranger = Address.make(`0x${"77".repeat(20)}`)
const decodeTransfer = Schema.decodeUnknownSync(ExchangeATransactionData)

const onExchange = (body: (local: DepositingExchangeA) => Effect.Effect<void, unknown, DepositWatcher | StepBuilder>) =>
  Effect.scoped(
    Effect.flatMap(startDepositingExchangeA(1, 1_000_000), (local) =>
      Effect.provide(
        body(local),
        Layer.merge(layerWatcher, layerSteps).pipe(Layer.provide(local.layerRpc))
      ))
  )

const setMode = (
  { endpoints: [endpoint], nextNonce, user }: DepositingExchangeA,
  abstraction: "disabled" | "portfolioMargin" | "unifiedAccount"
) => {
  const client = new ExchangeClient({
    transport: new HttpTransport({ apiUrl: endpoint?.url ?? "" }),
    wallet: user,
    nonceManager: nextNonce
  })
  return Effect.promise(() => client.userSetAbstraction({ user: user.address, abstraction }))
}

const quoted = Effect.fnUntraced(
  function*({ chain, user }: DepositingExchangeA, currency: Currency, way: DepositWay = { _tag: "Depository" }) {
    const { gas, steps, userBalance } = yield* (yield* StepBuilder).prepare({
      origin: chain,
      currency,
      amount: 9_000n,
      user: accountOf(user),
      way
    })
    const made = steps({
      orderId,
      requestId: RequestId.make(`0x${"0a".repeat(32)}`),
      checkEndpoint: "/",
      ...(way._tag === "Address" ? { depositAddress: way.address } : {})
    })
    const paying = decodeTransfer(made.at(-1)?.items[0]?.data)
    const { destinationDex, sourceDex } = paying.action.parameters
    return { dexes: [sourceDex, destinationDex], gas, paying, steps: made, userBalance }
  }
)

describe("a user's account on exchange A", () => {
  for (const mode of ["unifiedAccount", "portfolioMargin"] as const) {
    it.live(`in the mode ${mode} has what spot holds, and deposits from there to perps`, () =>
      onExchange((local) =>
        Effect.gen(function*() {
          const { authorize, book, chain, native, token, transfer, user } = local
          const watcher = yield* DepositWatcher
          assert.deepInclude(yield* quoted(local, native), { dexes: ["", ""], userBalance: FUNDS })
          yield* setMode(local, mode)
          assert.strictEqual(book.balance(user.address, ""), 0n)
          const { dexes, paying, steps: [mapping], userBalance } = yield* quoted(local, native)
          assert.deepStrictEqual([dexes, userBalance], [["spot", ""], 2n * FUNDS])
          const data = mapping?.items[0]?.data
          if (data === undefined || !("sign" in data)) return yield* Effect.die(new Error("no mapping"))
          yield* authorize(data)
          const id = yield* transfer(paying)
          book.pass(1_000)
          const found = (yield* watcher.look(chain, id)) ?? []
          assert.deepStrictEqual(
            found.map(({ amount, currency, depositId }) => [amount, currency, depositId]),
            [[9_000n, native.address, orderId]]
          )
          assert.strictEqual(book.balance(user.address, "spot"), 2n * FUNDS - 9_000n)
          assert.strictEqual(book.balance(chain.depository, ""), FUNDS + 9_000n)
          // A token of spot is where it was.
          assert.deepInclude(yield* quoted(local, token), { dexes: ["spot", "spot"], userBalance: 10n ** 12n })
        })
      ))
  }

  it.live("pays deposit addresses and sends from where its mode keeps the money, too", () =>
    onExchange((local) =>
      Effect.gen(function*() {
        const { book, native, transfer, user } = local
        yield* setMode(local, "unifiedAccount")
        const ways: ReadonlyArray<DepositWay> = [
          { _tag: "Send", recipient: stranger },
          { _tag: "Address", factory: undefined, depositor: accountOf(user), address: stranger }
        ]
        for (const way of ways) {
          const held = book.balance(stranger, "")
          const { dexes, gas, paying, userBalance } = yield* quoted(local, native, way)
          assert.deepStrictEqual([dexes, userBalance], [["spot", ""], book.balance(user.address, "spot")])
          yield* transfer(paying)
          assert.strictEqual(book.balance(stranger, ""), held + 9_000n)
          assert.isAtLeast(Number(gas), Number(userBalance - 9_000n - book.balance(user.address, "spot")))
        }
      })
    ))

  it.live("whose mode was set back, or is one that an endpoint does not tell or nobody knows", () =>
    onExchange((local) =>
      Effect.gen(function*() {
        const { book, native, setFault, token, user } = local
        yield* setMode(local, "unifiedAccount")
        yield* setMode(local, "disabled")
        book.credit(user.address, "", 7n)
        assert.deepInclude(yield* quoted(local, native), { dexes: ["", ""], userBalance: 7n })
        for (const answer of ["somethingNew", { mode: "default" }, "<b>", null]) {
          yield* setFault({ kind: "lie", questions: ["userAbstraction"], tell: () => answer })
          assert.propertyVal(yield* Effect.flip(quoted(local, native)), "_tag", "ChainUnavailable")
          assert.deepInclude(yield* quoted(local, token), { dexes: ["spot", "spot"] })
        }
      })
    ))
})
