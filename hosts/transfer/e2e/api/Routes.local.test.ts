import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { toHex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { addressOf } from "../../../localnet/nodes/ethereum/Addresses.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { ended, execute, quote } from "../../testing/Client.ts"
import { currencies, held } from "../../testing/Tokens.ts"
import type { TestCurrency } from "../../testing/Tokens.ts"
import { verified } from "../../testing/Verified.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

class Running extends fixtureOf<Running>()("test/Running", startFixture(startNetwork)) {}

const tradeTypes = ["EXACT_INPUT", "EXACT_OUTPUT", "EXPECTED_OUTPUT"] as const

interface Route {
  readonly from: TestCurrency
  readonly to: TestCurrency
  readonly tradeType: (typeof tradeTypes)[number]
  readonly forth: boolean
  /** Every second one has app fees. */
  readonly appBps: number
}

const routes: ReadonlyArray<Route> = [true, false].flatMap((forth) =>
  currencies.flatMap((from) =>
    currencies.flatMap((to) => tradeTypes.map((tradeType) => ({ from, to, tradeType, forth })))
  )
).map((route, index) => ({ ...route, appBps: index % 2 === 0 ? 0 : 30 }))

/** A new account. */
const fresh = (index: number) => toHex(0xf0000000000 + index, { size: 20 })

const appFees = (bps: number) => bps === 0 ? {} : { appFees: [{ recipient: fresh(999), fee: `${bps}` }] }

layer(Running.layer, { excludeTestServices: true })("every pair of currencies, both ways, all trade types", (it) => {
  const move = Effect.fnUntraced(function*(route: Route, index: number, key: `0x${string}`) {
    const { chains, url } = yield* Running
    const [origin, destination] = route.forth ? [chains.alpha, chains.beta] : [chains.beta, chains.alpha]
    const user = privateKeyToAccount(key).address
    const recipient = fresh(index)
    const before = yield* held(origin, route.from, user)
    const request = {
      user,
      recipient,
      originChainId: origin.chainId,
      destinationChainId: destination.chainId,
      originCurrency: route.from.address,
      destinationCurrency: route.to.address,
      amount: (route.tradeType === "EXACT_INPUT" ? route.from : route.to).some.toString(),
      tradeType: route.tradeType,
      ...appFees(route.appBps)
    }
    yield* verified(url, chains, request)
    const quoted = yield* quote(url, request)
    const receipts = yield* execute(origin, key, quoted)
    const name = `${route.from.symbol} → ${route.to.symbol} ${route.tradeType}`
    assert.isTrue(receipts.every(({ status }) => status === "success"), name)
    const end = yield* ended(url, quoted)
    assert.strictEqual(end.status, "success", `${name}: ${end.failReason}`)
    const amountIn = BigInt(quoted.details.currencyIn.amount)
    const amountOut = BigInt(quoted.details.currencyOut.amount)
    const gas = receipts.reduce((sum, { effectiveGasPrice, gasUsed }) => sum + gasUsed * effectiveGasPrice, 0n)
    const paid = before - (yield* held(origin, route.from, user)) - (route.from.symbol === "ETH" ? gas : 0n)
    assert.strictEqual(paid, amountIn, `${name}: paid`)
    assert.strictEqual(yield* held(destination, route.to, recipient), amountOut, `${name}: delivered`)
    if (route.tradeType === "EXACT_INPUT") assert.strictEqual(amountIn, route.from.some, name)
    else assert.strictEqual(amountOut, route.to.some, name)
    assert.strictEqual(
      BigInt(quoted.fees["app"]?.amount ?? "-1"),
      (amountIn * BigInt(route.appBps)) / 10_000n,
      `${name}: app fee`
    )
    return { ...route, amountIn, amountOut }
  })

  it.effect("delivers what was quoted, takes what was quoted, and the books of solver and depository agree, to the unit", () =>
    Effect.gen(function*() {
      const { chains } = yield* Running
      const tokens = currencies.filter(({ symbol }) => symbol !== "ETH")
      const holdings = () =>
        Effect.forEach([chains.alpha, chains.beta], (anvil) =>
          Effect.all({
            deposited: Effect.forEach(currencies, (currency) => held(anvil, currency, addressOf("Depository"))),
            solver: Effect.forEach(tokens, (currency) => held(anvil, currency, chains.solver))
          }))
      const before = yield* holdings()
      // One lane for each user: a user's transactions are in order, different users' run concurrently.
      const lanes = chains.users.map((key, lane) =>
        Effect.forEach(
          routes.flatMap((route, index) => index % chains.users.length === lane ? [{ route, index }] : []),
          ({ index, route }) => move(route, index, key)
        )
      )
      const moved = (yield* Effect.all(lanes, { concurrency: "unbounded" })).flat()
      assert.strictEqual(moved.length, 96)
      const after = yield* holdings()
      for (const [side, forth] of [[0, true], [1, false]] as const) {
        const sum = (of: (one: (typeof moved)[number]) => bigint | undefined) =>
          moved.reduce((total, one) => total + (of(one) ?? 0n), 0n)
        for (const [index, { symbol }] of currencies.entries()) {
          const into = sum((one) => one.forth === forth && one.from.symbol === symbol ? one.amountIn : undefined)
          assert.strictEqual(
            (after[side]?.deposited[index] ?? 0n) - (before[side]?.deposited[index] ?? 0n),
            into,
            `deposited ${symbol}`
          )
        }
        for (const [index, { symbol }] of tokens.entries()) {
          const out = sum((one) => one.forth !== forth && one.to.symbol === symbol ? one.amountOut : undefined)
          assert.strictEqual(
            (before[side]?.solver[index] ?? 0n) - (after[side]?.solver[index] ?? 0n),
            out,
            `paid ${symbol}`
          )
        }
      }
    }))
})
