/**
 * Places at which a crash test kills the process: before and after every write to the store and every broadcast. They
 * wrap the ports themselves, so that services do not know them and none is forgotten.
 *
 * `FAILPOINT=?` prints the reached places on stdout, `FAILPOINT=??` prints a place each time it is reached.
 * `FAILPOINT=<name>` ends the process there, at once and without any cleanup. When one method stands for several steps,
 * the place's name includes what is written. SECURITY: outside the local environment there are none.
 */
import { Effect, Layer } from "effect"
import type { Context } from "effect"
import { Bookings } from "../../../ports/store/ledger/Bookings.ts"
import { CallLosses } from "../../../ports/store/ledger/CallLosses.ts"
import { Credits } from "../../../ports/store/ledger/Credits.ts"
import { DepositAddresses } from "../../../ports/store/orders/DepositAddresses.ts"
import { Deposits } from "../../../ports/store/orders/Deposits.ts"
import { Exposures } from "../../../ports/store/orders/Exposures.ts"
import { FinalBlocks } from "../../../ports/store/operations/FinalBlocks.ts"
import { Ledger } from "../../../ports/store/ledger/Ledger.ts"
import { Losses } from "../../../ports/store/ledger/Losses.ts"
import { Pauses } from "../../../ports/store/operations/Pauses.ts"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import type { PaymentPurpose } from "../../../ports/store/orders/Payments.ts"
import { Payouts } from "../../../ports/store/ledger/Payouts.ts"
import { PermitSubmissions } from "../../../ports/store/orders/PermitSubmissions.ts"
import { InventoryReservations } from "../../../ports/store/orders/InventoryReservations.ts"
import { Settlements } from "../../../ports/store/orders/Settlements.ts"
import { SponsorHolds } from "../../../ports/store/ledger/SponsorHolds.ts"
import { Sweeps } from "../../../ports/store/orders/Sweeps.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { Treasury } from "../../../ports/chain/Treasury.ts"
import { UnattestedRefunds } from "../../../ports/store/ledger/UnattestedRefunds.ts"

const TELL = "?"
const TELL_EACH_TIME = "??"

type Around = (name: string) => <A, E, R>(write: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

const around = (failpoint: string): Around => {
  const told = new Set<string>()
  const reach = (place: string) =>
    Effect.suspend(() => {
      if (failpoint === TELL_EACH_TIME || (failpoint === TELL && !told.has(place))) {
        told.add(place)
        process.stdout.write(`failpoint ${place}\n`)
      }
      if (failpoint !== place) return Effect.void
      process.kill(process.pid, "SIGKILL")
      return Effect.never
    })
  return (name) => (write) => Effect.andThen(reach(`${name}:before`), Effect.tap(write, () => reach(`${name}:after`)))
}

/** The purpose of a refund or an excess also names its deposit. That part is left out. */
const kindOf = (leg: PaymentPurpose): string => leg.split(":")[0] ?? leg

/** What a call adds to its place's name. Undefined for methods without a place. */
type Places<Service> = {
  readonly [Method in keyof Service]?: Service[Method] extends (...args: infer Args) => unknown
    ? (...args: Args) => string
    : never
}

/** A place before and after each of the named methods: `<port>.<method>`, and what the call adds. */
const placed = (at: Around) =>
<Self, Service extends object>(
  port: Context.Service<Self, Service>,
  places: Places<Service>
): Layer.Layer<Self, never, Self> => {
  const name = port.key.slice(port.key.lastIndexOf("/") + 1)
  const named = new Map<unknown, unknown>(Object.entries(places))
  const of = (service: Service) =>
    new Proxy(service, {
      get: (target, method): unknown => {
        const [call, added]: ReadonlyArray<unknown> = [Reflect.get(target, method), named.get(method)]
        if (typeof call !== "function" || typeof added !== "function") return call
        return (...args: ReadonlyArray<unknown>) => {
          const write: unknown = Reflect.apply(call, target, args)
          const place = `${name}.${String(method)}${String(Reflect.apply(added, undefined, args))}`
          return Effect.isEffect(write) ? at(place)(write) : write
        }
      }
    })
  return Layer.effect(port, Effect.map(port, of))
}

const always = () => ""

const orders = (at: Around) => {
  const of = placed(at)
  return Layer.mergeAll(
    of(Deposits, {
      // Most scans find nothing. A scan that finds something is another place.
      record: (_chain, _cursor, found) => found.length === 0 ? " nothing" : "",
      close: always
    }),
    of(Transfers, { add: always, move: (_id, { to }) => ` ${to}` }),
    of(Payments, {
      signOnce: (leg) => ` ${kindOf(leg)}`,
      replace: ({ leg }) => ` ${kindOf(leg)}`,
      recordSent: ({ leg, variants }) => ` ${kindOf(leg)}${variants.length > 1 ? " again" : ""}`,
      recordOutcome: (_id, leg) => ` ${kindOf(leg)}`,
      setAside: ({ leg }) => ` ${kindOf(leg)}`,
      handOver: always
    }),
    of(DepositAddresses, { noteReindex: always, forgetReindex: always }),
    of(Sweeps, { queue: always, name: always, close: (_id, _round, { state }) => ` ${state}`, fail: always }),
    of(PermitSubmissions, { queue: always, spend: always, close: (_id, _round, state) => ` ${state}`, fail: always }),
    of(Settlements, {
      // Most attempts find nothing to settle. Only a claim with a result is a place.
      conclude: (_claimed, { _tag }) => ` ${_tag}`,
      submit: always,
      placed: always,
      end: always,
      undone: always,
      reopen: always
    }),
    of(InventoryReservations, { note: always, clear: always }),
    of(Exposures, { take: always })
  )
}

const money = (at: Around) => {
  const of = placed(at)
  return Layer.mergeAll(
    of(Credits, { record: (_chain, _cursor, arrivals) => arrivals.length === 0 ? " nothing" : "" }),
    of(Payouts, { reserve: always, close: (_id, state) => ` ${state}` }),
    of(UnattestedRefunds, { reserve: always, decide: always }),
    // A fill settles it, and after a reverted fill its refund does.
    of(CallLosses, { reserve: always, settle: always }),
    of(Ledger, { post: always }),
    // Every filling releases its hold at the end. Only a refund's release comes before money moves.
    of(SponsorHolds, { hold: always, noteCharge: always, release: always, settle: always }),
    of(Bookings, { value: always }),
    of(Losses, { book: ({ kind }) => ` ${kind}`, recover: (_deposit, kinds) => ` ${kinds.join(" ")}` })
  )
}

const operations = (at: Around) => {
  const of = placed(at)
  // A read, but a second payment is signed after it.
  const expired = Effect.map(Treasury, (treasury): Treasury["Service"] => ({
    ...treasury,
    outcome: (chain, variants, by) =>
      Effect.tap(
        treasury.outcome(chain, variants, by),
        ({ _tag }) => _tag === "Expired" ? at("Treasury.outcome Expired")(Effect.void) : Effect.void
      )
  }))
  return Layer.mergeAll(
    of(FinalBlocks, { remember: always }),
    of(Pauses, { add: always, remove: always }),
    of(Treasury, { broadcast: always }).pipe(Layer.provide(Layer.effect(Treasury, expired)))
  )
}

const failpoints = (at: Around) => Layer.mergeAll(orders(at), money(at), operations(at))

/** The host with its failpoints, if there are any. */
export const withFailpoints =
  ({ environment, failpoint }: { readonly environment: string; readonly failpoint: string | undefined }) =>
  <A, E, R>(parts: Layer.Layer<A, E, R>): Layer.Layer<A, E, R | Layer.Services<ReturnType<typeof failpoints>>> =>
    environment === "local" && failpoint !== undefined
      ? Layer.provide(parts, failpoints(around(failpoint)))
      : parts
