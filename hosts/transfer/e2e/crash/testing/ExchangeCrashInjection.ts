/**
 * Kills a host before and after every write and every send of transfers from and to an exchange: one network, one
 * store, one kind of transfer after the other. At the end each was paid or refunded once, to the unit, the exchange has
 * executed nothing else of the solver's, and the doctor finds nothing.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Scope } from "effect"
import { spawnHost } from "../../../testing/HostProcess.ts"
import type { HostProcess } from "../../../testing/HostProcess.ts"
import { eventually, openDeposits } from "../../../testing/Misbehaving.ts"
import { findingsOf, runDoctor } from "../../../testing/RunOperation.ts"
import { endedAnywhere } from "../../../testing/SolanaClient.ts"
import { injectCrashes } from "./InjectCrash.ts"

/** A transfer that a client has begun. */
export interface ExchangeTransfer {
  readonly request: { readonly steps: ReadonlyArray<{ readonly requestId: string }> }
  /** The client's part, at a service that may be killed meanwhile. */
  readonly pay: (url: string) => Effect.Effect<unknown>
  /** What a client posts again that has got no answer. */
  readonly again: (url: string) => Effect.Effect<unknown>
  readonly ends: "success" | "refund"
  /** Smallest units of what the recipient gets. The account has no other income. */
  readonly arrives: bigint
  readonly arrived: Effect.Effect<bigint>
  /** How often the solver sends something on the exchange for it. */
  readonly sends: number
}

export interface ExchangeScenario {
  readonly name: string
  readonly begin: (url: string, index: number) => Effect.Effect<ExchangeTransfer>
  /** Places that differ from those of earlier scenarios although these passed them. The first is tried at all places. */
  readonly own: RegExp
}

export interface StruckExchange {
  readonly environment: Readonly<Record<string, string>>
  readonly startHost: () => Effect.Effect<HostProcess, never, Scope.Scope>
  /** What the exchange has executed of the solver's account. */
  readonly sent: () => number
}

const endOf = (url: string, { again, request }: ExchangeTransfer) =>
  Effect.andThen(again(url), endedAnywhere(url, request))

const assertOnce = Effect.fnUntraced(function*(url: string, name: string, transfer: ExchangeTransfer) {
  const { status } = yield* endOf(url, transfer)
  assert.strictEqual(status, transfer.ends, name)
  assert.strictEqual(yield* transfer.arrived, transfer.arrives, name)
})

export const injectExchangeCrashes = Effect.fnUntraced(
  function*({ environment, sent, startHost }: StruckExchange, scenarios: ReadonlyArray<ExchangeScenario>) {
    const target = {
      spawn: (failpoint: string) => spawnHost("transfer", { ...environment, FAILPOINT: failpoint }),
      urlOf: ({ url }: { readonly url: string }) => url
    }
    const before = sent()
    const known = new Set<string>()
    let sends = 0
    for (const [at, { begin, name, own }] of scenarios.entries()) {
      const journey = {
        name,
        begin: (url: string, index: number) =>
          Effect.map(begin(url, index), (transfer) => ({ ...transfer, pay: transfer.pay(url) })),
        pay: ({ pay }: { readonly pay: Effect.Effect<unknown> }) => pay,
        ended: (url: string, one: { readonly request: ExchangeTransfer["request"] }) => endedAnywhere(url, one.request),
        last: "Deposits.close:after"
      }
      const { begun, told } = yield* injectCrashes(
        target,
        journey,
        (places) => places.filter((place) => at === 0 || own.test(place) || !known.has(place)),
        { asManyAsFit: true, from: 0 }
      )
      for (const place of told) known.add(place)
      // What is left of this kind comes to its end before the next: the next has places of its own.
      yield* Effect.scoped(Effect.gen(function*() {
        const host = yield* startHost()
        yield* Effect.forEach(
          begun,
          ({ pay: _, ...one }) => assertOnce(host.url, name, { ...one, pay: () => Effect.void }),
          { discard: true }
        )
        yield* eventually(`${name}: all deposits are closed`, openDeposits(environment), (open) => open === 0)
        yield* host.kill("SIGTERM")
      }))
      sends += begun.reduce((sum, one) => sum + one.sends, 0)
      assert.strictEqual(sent() - before, sends, name)
    }
    const doctor = yield* runDoctor(environment)
    assert.deepStrictEqual(findingsOf(doctor).filter(([kind]) => kind !== "overdue-request"), [])
  }
)
