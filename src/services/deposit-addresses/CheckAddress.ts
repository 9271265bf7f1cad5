/**
 * Checks a deposit address once for the currency that it was made for. A balance that is worth its sweep is queued; a
 * smaller one is left alone for a while. An address is checked by one caller at a time: two concurrent checks would
 * make two requests of one deposit.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { KeptAddress } from "../../../ports/store/orders/DepositAddresses.ts"
import type { Address } from "../../domain/chain/Address.ts"
import { findCurrency } from "../../domain/chain/Chain.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { queueSweeps, readBalances } from "./QueueSweeps.ts"

/** A balance that is not worth its sweep is priced again after this time, or as soon as it grows. */
const REST_MS = 60_000

/** A balance that is not worth a sweep: it is not priced again for a while. */
export interface Resting {
  readonly units: bigint
  /** Milliseconds. */
  readonly until: number
}

/** Returns a balance that is not worth its sweep. Undefined when there is none. */
const look = Effect.fnUntraced(function*(chain: Chain, kept: KeptAddress, resting: Resting | undefined) {
  const currency = findCurrency(chain, kept.currency)
  if (currency === undefined) return undefined
  const balances = yield* readBalances(kept, chain, [currency], "watched")
  const [balance] = balances
  const now = yield* Clock.currentTimeMillis
  if (balance?.reading._tag !== "Read" || balance.reading.units === 0n) return undefined
  if (resting !== undefined && resting.units === balance.reading.units && resting.until > now) return resting
  const { waiting: [waits] } = yield* queueSweeps(kept, chain, balances)
  return waits === undefined ? undefined : { units: waits.units, until: now + REST_MS } satisfies Resting
  // It was read, so a reindex of it is not refused.
}, Effect.catchTag("ReindexRefused", () => Effect.undefined))

/** `looking`: the addresses of the chain that are being checked now. These are skipped. */
export const checkAddress = (looking: Set<Address>, chain: Chain, kept: KeptAddress, resting: Resting | undefined) =>
  Effect.suspend(() => {
    if (looking.has(kept.address)) return Effect.undefined
    looking.add(kept.address)
    return Effect.ensuring(look(chain, kept, resting), Effect.sync(() => looking.delete(kept.address)))
  })
