/** Transfers from and to exchange A that crash tests begin: to it, from it, refunded there, and by a deposit address. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { privateKeyToAddress } from "viem/accounts"
import { reader } from "../../../testing/Client.ts"
import { exchangeAAddressFor, payAddress, sweptFrom } from "../../../testing/ExchangeAAddressed.ts"
import { authorize, deposit, fromExchangeA, quoteExchangeA } from "../../../testing/ExchangeAClient.ts"
import type { ExchangeAQuote } from "../../../testing/ExchangeAClient.ts"
import { startExchangeANetwork } from "../../../testing/ExchangeANetwork.ts"
import { heldOnExchange, PERPS, SPOT, toExchangeA } from "../../../testing/PaidOnExchangeA.ts"
import { injectExchangeCrashes } from "./ExchangeCrashInjection.ts"
import type { ExchangeScenario, ExchangeTransfer } from "./ExchangeCrashInjection.ts"

type Network = Effect.Success<typeof startExchangeANetwork>

const ETHER = "0x0000000000000000000000000000000000000000"
/** Smallest units. */
const USD = 100_000_000n
const USERS = 5

/** One after the other on perps and on spot. */
const currencyOf = (index: number) => index % 2 === 0 ? PERPS : SPOT

const arriving = (network: Network): ExchangeScenario => ({
  name: "to exchange A",
  begin: Effect.fnUntraced(function*(url, index) {
    const { book, fresh } = network
    const [currency, recipient] = [currencyOf(index), fresh()]
    const { amount, pay, quoted } = yield* toExchangeA(network, url, [currency, recipient], index % USERS)
    return {
      request: quoted,
      pay: () => pay,
      again: () => Effect.void,
      ends: "success",
      arrives: amount,
      arrived: Effect.sync(() => heldOnExchange(book, currency, recipient)),
      sends: 1
    } satisfies ExchangeTransfer
  }),
  own: /^/
})

/** The mapping may find no service, so the client posts it again. The transfer goes to the exchange itself. */
const byTransfer = ({ exchangeUrl, wallet }: Network, quoted: ExchangeAQuote) => {
  const again = (url: string) => authorize(url, wallet, quoted)
  return {
    request: quoted,
    again,
    pay: (url: string) =>
      Effect.andThen(
        Effect.catchCause(again(url), () => Effect.void),
        Effect.map(deposit(exchangeUrl, wallet, quoted), ({ text }) => assert.include(text, `"ok"`))
      )
  }
}

const etherOf = ({ chains }: Network, account: `0x${string}`) =>
  Effect.promise(() => reader(chains.alpha).getBalance({ address: account }))

const leaving = (network: Network): ExchangeScenario => ({
  name: "from exchange A",
  begin: Effect.fnUntraced(function*(url, index) {
    const { chains, fresh, wallet } = network
    const recipient = fresh()
    const body = fromExchangeA(wallet, recipient, [chains.alpha.chainId, ETHER], [currencyOf(index), 50n * USD])
    const quoted = yield* quoteExchangeA(url, body)
    return {
      ...byTransfer(network, quoted),
      ends: "success",
      arrives: BigInt(quoted.details.currencyOut.amount),
      arrived: etherOf(network, recipient),
      sends: 0
    } satisfies ExchangeTransfer
  }),
  own: /^(?:Deposits|NonceMappings)/
})

const returned = (network: Network): ExchangeScenario => ({
  name: "refunded on exchange A",
  begin: Effect.fnUntraced(function*(url, index) {
    const { book, chains, fresh, wallet } = network
    const [currency, refundTo] = [currencyOf(index), fresh()]
    const quoted = yield* quoteExchangeA(
      url,
      fromExchangeA(wallet, fresh(), [chains.alpha.chainId, ETHER], [currency, 50n * USD], {
        referrer: "force-refund",
        refundOnOrigin: true,
        refundTo
      })
    )
    return {
      ...byTransfer(network, quoted),
      ends: "refund",
      // The exchange takes one for the new account.
      arrives: 49n * USD,
      arrived: Effect.sync(() => heldOnExchange(book, currency, refundTo)),
      sends: 1
    } satisfies ExchangeTransfer
  }),
  own: /^(?:Payments|Treasury)/
})

/** The address's own sweep, and the millionth that the solver sends it first. */
const addressed = (network: Network): ExchangeScenario => ({
  name: "by a deposit address on exchange A",
  begin: Effect.fnUntraced(function*(url) {
    const { book, chains, exchangeUrl, fresh, other, wallet } = network
    const recipient = fresh()
    const body = fromExchangeA(wallet, recipient, [chains.alpha.chainId, ETHER], [PERPS, 50n * USD], {
      strict: true,
      refundTo: wallet.address
    })
    const { depositAddress, quoted } = yield* exchangeAAddressFor(url, body)
    return {
      request: quoted,
      pay: () => payAddress(exchangeUrl, other, quoted, { amount: 50n * USD, dex: "" }),
      again: () => Effect.void,
      ends: "success",
      arrives: BigInt(quoted.details.currencyOut.amount),
      arrived: Effect.tap(
        etherOf(network, recipient),
        () => Effect.sync(() => assert.lengthOf(sweptFrom(book, depositAddress), 1))
      ),
      sends: 1
    } satisfies ExchangeTransfer
  }),
  own: /^(?:Payments|Treasury|NonceMappings|Sweeps)/
})

export const killEverywhereOnExchangeA = Effect.scoped(Effect.gen(function*() {
  const network = yield* startExchangeANetwork
  const solver = privateKeyToAddress(`0x${network.environment["EXCHANGEA_SOLVER_PRIVATE_KEY"]?.slice(2)}`)
  yield* injectExchangeCrashes(
    { ...network, sent: () => network.book.ofAccount(solver).filter(({ error }) => error === null).length },
    [arriving(network), leaving(network), returned(network), addressed(network)]
  )
}))
