/** Transfers from and to exchange B that crash tests begin: to it, from it, and refunded there. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { isExecuted } from "../../../../localnet/nodes/exchange-b/node/Shown.ts"
import { reader } from "../../../testing/Client.ts"
import { deposit, fromExchangeB, quoteExchangeB } from "../../../testing/ExchangeBClient.ts"
import type { ExchangeBQuote } from "../../../testing/ExchangeBClient.ts"
import { SOLVER, startExchangeBNetwork, TRANSFER_FEE } from "../../../testing/ExchangeBNetwork.ts"
import { heldOnExchangeB, openOn, PERPS, SPOT, toExchangeB } from "../../../testing/PaidOnExchangeB.ts"
import { injectExchangeCrashes } from "./ExchangeCrashInjection.ts"
import type { ExchangeScenario, ExchangeTransfer } from "./ExchangeCrashInjection.ts"

type Network = Effect.Success<typeof startExchangeBNetwork>

const ETHER = "0x0000000000000000000000000000000000000000"
/** Smallest units. */
const USD = 1_000_000n
const USERS = 5

/** One after the other on perps and on spot. */
const currencyOf = (index: number) => index % 2 === 0 ? PERPS : SPOT

const arriving = (network: Network): ExchangeScenario => ({
  name: "to exchange B",
  begin: Effect.fnUntraced(function*(url, index) {
    const { state } = network
    const [currency, recipient] = [currencyOf(index), openOn(state)]
    const { amount, pay, quoted } = yield* toExchangeB(network, url, [currency, recipient], index % USERS)
    return {
      request: quoted,
      pay: () => pay,
      again: () => Effect.void,
      ends: "success",
      arrives: amount,
      arrived: Effect.sync(() => heldOnExchangeB(state, currency, recipient)),
      sends: 1
    } satisfies ExchangeTransfer
  }),
  own: /^/
})

const byTransfer = ({ exchangeUrl, wallet }: Network, quoted: ExchangeBQuote) => ({
  request: quoted,
  again: () => Effect.void,
  pay: () => Effect.map(deposit(exchangeUrl, wallet, quoted), (hash) => assert.match(hash, /^[0-9a-f]{80}$/))
})

const leaving = (network: Network): ExchangeScenario => ({
  name: "from exchange B",
  begin: Effect.fnUntraced(function*(url, index) {
    const { chains, fresh, wallet } = network
    const recipient = fresh()
    const body = fromExchangeB(wallet, recipient, [chains.alpha.chainId, ETHER], [currencyOf(index), 50n * USD])
    const quoted = yield* quoteExchangeB(url, body)
    return {
      ...byTransfer(network, quoted),
      ends: "success",
      arrives: BigInt(quoted.details.currencyOut.amount),
      arrived: Effect.promise(() => reader(chains.alpha).getBalance({ address: recipient })),
      sends: 0
    } satisfies ExchangeTransfer
  }),
  own: /^Deposits/
})

const returned = (network: Network): ExchangeScenario => ({
  name: "refunded on exchange B",
  begin: Effect.fnUntraced(function*(url, index) {
    const { chains, fresh, state, wallet } = network
    const [currency, refundTo] = [currencyOf(index), openOn(state)]
    const quoted = yield* quoteExchangeB(
      url,
      fromExchangeB(wallet, fresh(), [chains.alpha.chainId, ETHER], [currency, 50n * USD], {
        referrer: "force-refund",
        refundOnOrigin: true,
        refundTo: `${refundTo}`
      })
    )
    return {
      ...byTransfer(network, quoted),
      ends: "refund",
      // Less what the exchange takes for it.
      arrives: 50n * USD - BigInt(TRANSFER_FEE),
      arrived: Effect.sync(() => heldOnExchangeB(state, currency, refundTo)),
      sends: 1
    } satisfies ExchangeTransfer
  }),
  own: /^(?:Payments|Treasury)/
})

export const killEverywhereOnExchangeB = Effect.scoped(Effect.gen(function*() {
  const network = yield* startExchangeBNetwork
  const { state } = network
  const sent = () => state.sent.filter((each) => isExecuted(each) && each.info.FromAccountIndex === SOLVER).length
  yield* injectExchangeCrashes({ ...network, sent }, [arriving(network), leaving(network), returned(network)])
}))
