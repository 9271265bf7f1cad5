/**
 * Keeps a stock of derived deposit addresses for quotes (ADDRESS-3): only a worker has the seed, and processes that
 * answer HTTP do not need it. Each run derives under its own generation and counts its numbers in memory: numbers that
 * are not in the stock when it ends were never used.
 *
 * SECURITY: at start, a seed that does not match the addresses in use is refused: money at those could not be swept.
 */
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Chains } from "../../../ports/chain/Chains.ts"
import { DepositKeyring } from "../../../ports/signing/DepositKeyring.ts"
import { DepositKeys } from "../../../ports/store/orders/DepositKeys.ts"
import type { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import type { Address } from "../../domain/chain/Address.ts"
import { isKeyFamily, keyPath, pathText } from "../../domain/deposit-address/HardenedKeys.ts"
import type { KeyFamily, KeyPlace } from "../../domain/deposit-address/HardenedKeys.ts"
import { retryForever } from "../polling/RetryForever.ts"
import { pollNoticed } from "../polling/Poll.ts"

/**
 * How many addresses are ready: more than are quoted in a few turns, however many callers there are. One in sixteen of
 * those that are taken gives notice.
 */
const STOCK = 256

/** At most so often, however many are taken. */
const EVERY = Duration.millis(500)

/** The process was given another seed than the one before it. */
export class WrongSeed extends Data.TaggedError("WrongSeed")<{ readonly address: Address; readonly path: string }> {
  override get message(): string {
    return `the seed of deposit addresses is not the one that ${this.address} was derived from (at ${this.path}): use that one again, what is paid to its addresses cannot be swept otherwise`
  }
}

type Derive = (place: KeyPlace) => Effect.Effect<Address, SignerUnavailable>

const refuseWrongSeed = Effect.fnUntraced(function*(family: KeyFamily, derive: Derive) {
  const keys = yield* DepositKeys
  const known = yield* keys.lastClaimed(family).pipe(retryForever("deposit addresses: the seed"))
  if (
    known !== undefined && (yield* derive(known).pipe(retryForever("deposit addresses: the seed"))) !== known.address
  ) {
    return yield* new WrongSeed({ address: known.address, path: pathText(keyPath(family, known)) })
  }
})

const stock = Effect.fnUntraced(function*(family: KeyFamily, derive: Derive) {
  const keys = yield* DepositKeys
  const generation = yield* Effect.flatMap(Clock.currentTimeMillis, (now) => keys.begin(family, now)).pipe(
    retryForever("deposit addresses: a generation")
  )
  yield* Effect.logInfo(
    `deposit addresses of ${family.name} are derived at ${pathText(keyPath(family, { generation, number: 0 }))} and on`
  )
  let next = 0
  const turn = Effect.gen(function*() {
    const missing = STOCK - (yield* keys.free(family))
    if (missing <= 0) return
    const places = Array.from({ length: missing }, (_, index): KeyPlace => ({ generation, number: next + index }))
    // Counted first: a number that may have been stored is not used again.
    next += missing
    yield* keys.add(
      family,
      yield* Effect.forEach(places, (place) => Effect.map(derive(place), (address) => ({ ...place, address })))
    )
  })
  return yield* turn.pipe(pollNoticed("the stock of deposit addresses", "deposit-keys", EVERY))
})

export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const chains = yield* Chains
  const keyring = yield* DepositKeyring
  const derived = chains.all.filter(({ depositAddresses }) => depositAddresses?.keys !== undefined)
  const families = new Map(derived.map(({ family }) => [family.name, family]))
  for (const family of [...families.values()].filter(isKeyFamily)) {
    const derive = keyring.deriverOf(family)
    if (derive === undefined) continue
    yield* refuseWrongSeed(family, derive)
    yield* Effect.forkScoped(stock(family, derive))
  }
}))
