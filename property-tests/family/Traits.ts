/**
 * How chains differ, so that a contract that does not apply to a chain is never skipped in silence. A family declares
 * the traits that its chain lacks, each with the reason. A contract that needs such a trait is replaced by a check that
 * the chain really lacks it, and the name of the check gives the reason.
 */
import * as Effect from "effect/Effect"
import type { DepositWatcher } from "../../ports/chain/DepositWatcher.ts"
import { SentTransactions } from "../../ports/chain/SentTransactions.ts"
import { Treasury } from "../../ports/chain/Treasury.ts"
import { must } from "../Law.ts"
import { atOnceFinal, replacement } from "./DepositWatcher.ts"
import { type Contract, FamilyFixture } from "./FamilyFixture.ts"
import { fill, idOnChain, outcomeOf, positionOn, signed } from "./Payments.ts"
import type { Trait } from "./Trait.ts"

/** What a chain does not have, and why. */
export type Lacks = Readonly<Partial<Record<Trait, string>>>

/** The ports that these checks use. */
export type TraitPorts = DepositWatcher | SentTransactions | Treasury

/** In blocks: longer than an expiring payment lives on any chain. */
const LONG = 200

const withoutSequences = Effect.gen(function*() {
  const { chain, mine } = yield* FamilyFixture
  const sent = yield* SentTransactions
  const treasury = yield* Treasury
  must(!(yield* positionOn(chain)).counted, "the account's transactions are counted")
  const made = yield* signed(yield* fill(chain.native, 5_000_000n, 1))
  yield* treasury.broadcast(chain, made)
  yield* mine
  const found = yield* sent.find(chain, yield* idOnChain(made))
  must(found !== undefined && found.sequence === undefined, "a transaction of the account has a sequence")
})

const withoutExpiry = Effect.gen(function*() {
  const { chain, mine } = yield* FamilyFixture
  const treasury = yield* Treasury
  const made = yield* signed(yield* fill(chain.native, 5_000_000n, 1))
  for (let blocks = 0; blocks < LONG; blocks += 1) yield* mine
  must((yield* outcomeOf(made))._tag === "Unseen", "it is not waited for any more")
  yield* treasury.broadcast(chain, made)
  yield* mine
  must((yield* outcomeOf(made))._tag === "Included", "it was not carried out")
})

const withoutCoins = Effect.gen(function*() {
  const { chain } = yield* FamilyFixture
  const { claimable } = yield* (yield* Treasury).prepare(yield* fill(chain.native, 5_000_000n, 1))
  must(claimable === undefined, "a payment claims something")
})

const withoutRefusal = Effect.map(
  FamilyFixture,
  ({ refusing }) => must(refusing === undefined, "the fixture names an account that takes nothing")
)

const withoutReusedHeights = Effect.gen(function*() {
  const { other, replaced } = yield* replacement
  must(other.block.height > replaced.height, "the next block has the height of the one that was taken back")
})

const absences: Readonly<Record<Trait, Contract<TraitPorts>["check"]>> = {
  sequences: withoutSequences,
  expiry: withoutExpiry,
  coins: withoutCoins,
  refusal: withoutRefusal,
  reorgs: atOnceFinal,
  "reused-heights": withoutReusedHeights
}

/**
 * The contracts that apply to this chain. A chain must have sequences, expiry or coins, because nothing else prevents a
 * second payment.
 */
export const contractsOn = <R>(
  lacks: Lacks,
  contracts: ReadonlyArray<Contract<R>>
): ReadonlyArray<Contract<R | TraitPorts>> => {
  must(
    lacks.sequences === undefined || lacks.expiry === undefined || lacks.coins === undefined,
    "neither sequences nor expiry nor coins: payments may repeat"
  )
  return contracts.map((contract): Contract<R | TraitPorts> => {
    const { name, needs, without } = contract
    const reason = needs === undefined ? undefined : lacks[needs]
    return needs === undefined || reason === undefined
      ? contract
      : { name: `not applicable, ${reason}: ${name}`, check: without ?? absences[needs] }
  })
}
