/**
 * Kills a host around payments on exchange B, where a second payment could arise. After its restart each is made once,
 * and the doctor finds nothing.
 */
import { assert } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { tally } from "../../../../../scripts/testing/Tally.ts"
import type { ExchangeFault } from "../../../../localnet/nodes/exchange-a/node/Fault.ts"
import { diagnose } from "../../../operations/Diagnosis.ts"
import { deposit, fromExchangeB, quoteExchangeB } from "../../../testing/ExchangeBClient.ts"
import { startExchangeBNetwork, TRANSFER_FEE } from "../../../testing/ExchangeBNetwork.ts"
import { eventually, openDeposits } from "../../../testing/Misbehaving.ts"
import {
  heldOnExchangeB,
  openOn,
  PERPS,
  signedOnExchangeB,
  SPOT,
  toExchangeB,
  transfersTo
} from "../../../testing/PaidOnExchangeB.ts"
import { endedAnywhere } from "../../../testing/SolanaClient.ts"

const NATIVE = "0x0000000000000000000000000000000000000000"
const HOUR = 3_600_000
/** Smallest units. */
const USD = 1_000_000n

type Network = Effect.Success<typeof startExchangeBNetwork>

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
  Effect.fnUntraced(function*(network: Network, url: string, recipient: number) {
    const { amount, pay, quoted } = yield* toExchangeB(network, url, [currency, recipient], 0)
    return { request: quoted, pay, ends: "success", currency, arrives: amount } satisfies Begun
  })

/** USDC that are returned to another account, less what the exchange takes for that. */
const refund = Effect.fnUntraced(
  function*({ chains, exchangeUrl, fresh, wallet }: Network, url: string, refundTo: number) {
    const quoted = yield* quoteExchangeB(
      url,
      fromExchangeB(wallet, fresh(), [chains.alpha.chainId, NATIVE], [PERPS, 100n * USD], {
        referrer: "force-refund",
        refundOnOrigin: true,
        refundTo: `${refundTo}`
      })
    )
    return {
      request: quoted,
      pay: Effect.map(deposit(exchangeUrl, wallet, quoted), (hash) => assert.match(hash, /^[0-9a-f]{80}$/)),
      ends: "refund",
      currency: PERPS,
      arrives: 100n * USD - BigInt(TRANSFER_FEE)
    } satisfies Begun
  }
)

/** Where the host is killed, how long everybody is away then, and where the next host is killed, too. */
const places: ReadonlyArray<
  readonly [begin: typeof refund | ReturnType<typeof fillOf>, place: string, away: number, then?: string]
> = [
  [fillOf(PERPS), "Payments.signOnce fill:after", 0],
  // Before time passes there: the wallet signs by this machine's clock.
  [refund, "Payments.signOnce refund:after", 0],
  [fillOf(SPOT), "Payments.recordOutcome fill:before", HOUR],
  // What was signed has expired. Its nonce is used for nothing, and it is signed again.
  [fillOf(PERPS), "Payments.signOnce fill:after", HOUR, "Payments.setAside fill:after"]
]

/** What the exchange does with the transfer while the host is killed by hand. */
const faults: ReadonlyArray<ExchangeFault> = [
  // It was executed, and the host hears nothing of it.
  { kind: "hang", questions: ["sendTx"] },
  // Nothing was executed.
  { kind: "away", questions: ["api/v1/sendTx"] }
]

const afterRestart = Effect.fnUntraced(
  function*(network: Network, { arrives, currency, ends, request }: Begun, recipient: number, place: string) {
    tally("kills", 1)
    const host = yield* network.startHost()
    const { status } = yield* endedAnywhere(host.url, request)
    assert.strictEqual(status, ends, place)
    // The next host begins with nothing to do.
    yield* eventually("all deposits are closed", openDeposits(network.environment), (open) => open === 0)
    yield* host.kill("SIGTERM")
    assert.strictEqual(heldOnExchangeB(network.state, currency, recipient), arrives, place)
    assert.strictEqual(transfersTo(network.state, recipient), 1, place)
  }
)

/** At the chosen places, one after the other, over one store. `away`: milliseconds until the restart. */
export const killOnExchangeB = (chosen: (place: string, away: number) => boolean) =>
  Effect.scoped(Effect.gen(function*() {
    const network = yield* startExchangeBNetwork
    const { environment, startHost, state } = network
    for (const [begin, place, away, next] of places.filter(([, place, away]) => chosen(place, away))) {
      const recipient = openOn(state)
      const killed = yield* startHost({ FAILPOINT: place })
      const begun = yield* begin(network, killed.url, recipient)
      yield* begun.pay
      assert.strictEqual(yield* killed.ended, "SIGKILL", place)
      state.offset += away
      if (next !== undefined) {
        tally("kills", 1)
        const killedAgain = yield* startHost({ FAILPOINT: next })
        assert.strictEqual(yield* killedAgain.ended, "SIGKILL", next)
      }
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
export const killOnFaultyExchangeB = Effect.scoped(Effect.gen(function*() {
  const network = yield* startExchangeBNetwork
  const { misbehave, startHost, state, store } = network
  for (const fault of faults) {
    const recipient = openOn(state)
    const killed = yield* startHost()
    const begun = yield* fillOf(PERPS)(network, killed.url, recipient)
    const before = yield* signedOnExchangeB(store)
    yield* misbehave(fault)
    yield* begun.pay
    yield* eventually("it is signed", signedOnExchangeB(store), (now) => now.length > before.length)
    const submitted = Effect.sync(() => transfersTo(state, recipient))
    if (fault.kind === "hang") yield* eventually("it is submitted", submitted, (payments) => payments === 1)
    else assert.strictEqual(yield* submitted, 0)
    yield* killed.kill("SIGKILL")
    yield* misbehave(undefined)
    yield* afterRestart(network, begun, recipient, fault.kind)
  }
}))
