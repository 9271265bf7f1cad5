/**
 * Kills a host around payments on exchange A, where a second payment could arise. After its restart each is made once,
 * and the doctor finds nothing.
 */
import { assert } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { tally } from "../../../../../scripts/testing/Tally.ts"
import type { ExchangeFault } from "../../../../localnet/nodes/exchange-a/ExchangeA.ts"
import { diagnose } from "../../../operations/Diagnosis.ts"
import { numberBeside } from "../../../testing/BesideStore.ts"
import { authorize, deposit, fromExchangeA, quoteExchangeA } from "../../../testing/ExchangeAClient.ts"
import { startExchangeANetwork } from "../../../testing/ExchangeANetwork.ts"
import { eventually, openDeposits } from "../../../testing/Misbehaving.ts"
import { heldOnExchange, paymentsTo, PERPS, SPOT, toExchangeA } from "../../../testing/PaidOnExchangeA.ts"
import { endedAnywhere } from "../../../testing/SolanaClient.ts"

const NATIVE = "0x0000000000000000000000000000000000000000"
const HOUR = 3_600_000
/** Smallest units. */
const ONE = 100_000_000n

type Network = Effect.Success<typeof startExchangeANetwork>

/** What a transfer ends as, and how much then arrives on the exchange. */
interface Begun {
  readonly request: { readonly steps: ReadonlyArray<{ readonly requestId: string }> }
  readonly pay: Effect.Effect<unknown>
  readonly ends: "success" | "refund"
  readonly currency: string
  readonly arrives: bigint
}

/** Ether for USDC. */
const fillOf = (currency: string) =>
  Effect.fnUntraced(function*(network: Network, url: string, recipient: string) {
    const { amount, pay, quoted } = yield* toExchangeA(network, url, [currency, recipient], 0)
    return { request: quoted, pay, ends: "success", currency, arrives: amount } satisfies Begun
  })

/** USDC that are returned to a new account, for which the exchange takes one. */
const refund = Effect.fnUntraced(
  function*({ chains, exchangeUrl, fresh, wallet }: Network, url: string, refundTo: string) {
    const quoted = yield* quoteExchangeA(
      url,
      fromExchangeA(wallet, fresh(), [chains.alpha.chainId, NATIVE], [PERPS, 100n * ONE], {
        referrer: "force-refund",
        refundOnOrigin: true,
        refundTo
      })
    )
    return {
      request: quoted,
      pay: Effect.andThen(authorize(url, wallet, quoted), deposit(exchangeUrl, wallet, quoted)),
      ends: "refund",
      currency: PERPS,
      arrives: 99n * ONE
    } satisfies Begun
  }
)

const mappingsIn = (store: string) => numberBeside(store, "SELECT COUNT(*) AS n FROM nonce_mappings")

/** Where the host is killed, and for how long it and everybody else is away then. */
const places = [
  [fillOf(PERPS), "Payments.signOnce fill:after", 0],
  [fillOf(SPOT), "Treasury.broadcast:before", HOUR],
  [fillOf(SPOT), "Payments.recordOutcome fill:before", HOUR],
  [refund, "Payments.signOnce refund:after", 0],
  // What was signed can be executed no more.
  [fillOf(PERPS), "Payments.signOnce fill:after", 50 * HOUR]
] as const

/** What the exchange does with the transfer while the host is killed by hand. */
const faults: ReadonlyArray<ExchangeFault> = [
  // It was executed, and the host hears nothing of it.
  { kind: "hang", questions: ["exchange"] },
  // The mapping is kept, and nothing was executed.
  { kind: "away", questions: ["exchange"] }
]

const afterRestart = Effect.fnUntraced(
  function*(network: Network, { arrives, currency, ends, request }: Begun, recipient: string, place: string) {
    tally("kills", 1)
    const host = yield* network.startHost()
    const { status } = yield* endedAnywhere(host.url, request)
    assert.strictEqual(status, ends, place)
    // The next host begins with nothing to do.
    yield* eventually("all deposits are closed", openDeposits(network.environment), (open) => open === 0)
    yield* host.kill("SIGTERM")
    assert.strictEqual(heldOnExchange(network.book, currency, recipient), arrives, place)
    assert.strictEqual(paymentsTo(network.book, recipient), 1, place)
  }
)

/** At the chosen places, one after the other, over one store. `away`: milliseconds until the restart. */
export const killOnExchangeA = (chosen: (place: string, away: number) => boolean) =>
  Effect.scoped(Effect.gen(function*() {
    const network = yield* startExchangeANetwork
    const { book, environment, fresh, startHost } = network
    for (const [begin, place, away] of places.filter(([, place, away]) => chosen(place, away))) {
      const recipient = fresh()
      const killed = yield* startHost({ FAILPOINT: place })
      const begun = yield* begin(network, killed.url, recipient)
      yield* begun.pay
      assert.strictEqual(yield* killed.ended, "SIGKILL", place)
      book.pass(away)
      yield* afterRestart(network, begun, recipient, place)
    }
    const { findings } = yield* Effect.provideService(
      diagnose(undefined),
      ConfigProvider.ConfigProvider,
      ConfigProvider.fromUnknown(environment)
    ).pipe(Effect.orDie)
    assert.deepStrictEqual(findings.filter(({ kind }) => kind !== "overdue-request"), [])
  }))

/** While the exchange answers nothing, or takes nothing. */
export const killOnFaultyExchangeA = Effect.scoped(Effect.gen(function*() {
  const network = yield* startExchangeANetwork
  const { fresh, misbehave, startHost, store } = network
  for (const fault of faults) {
    const recipient = fresh()
    const killed = yield* startHost()
    const begun = yield* fillOf(PERPS)(network, killed.url, recipient)
    const kept = yield* mappingsIn(store)
    yield* misbehave(fault)
    yield* begun.pay
    yield* eventually("the mapping is kept", mappingsIn(store), (now) => now > kept)
    const submitted = Effect.sync(() => paymentsTo(network.book, recipient))
    if (fault.kind === "hang") yield* eventually("it is submitted", submitted, (payments) => payments === 1)
    else assert.strictEqual(yield* submitted, 0)
    yield* killed.kill("SIGKILL")
    yield* misbehave(undefined)
    yield* afterRestart(network, begun, recipient, fault.kind)
  }
}))
