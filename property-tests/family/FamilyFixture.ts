/**
 * What a family brings so that its ports can be held to their contracts: a chain of its own with money on it, and what
 * a stranger can do there. Each contract is shown on a stage that is made anew for it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Address } from "../../src/domain/chain/Address.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { TransactionId } from "../../src/domain/chain/TransactionId.ts"
import type { Hex32 } from "../../src/domain/encoding/Hex.ts"
import type { Currency } from "../../src/domain/money/Currency.ts"
import type { Step } from "../../src/domain/quote/wire/Step.ts"
import type { Trait } from "./Trait.ts"

export class FamilyFixture extends Context.Service<FamilyFixture, {
  readonly chain: Chain
  /** A currency of the chain that is not its native one. */
  readonly token: Currency
  /** Holds enough of both currencies for every contract. */
  readonly user: Address
  /** Holds nothing. */
  readonly stranger: Address
  /** Has no account that could take a token; undefined where every account takes what comes (trait `refusal`). */
  readonly refusing: Address | undefined
  /** What an account holds at the newest block, smallest units, by the chain's own word. */
  readonly balance: (of: Address, currency: Currency) => Effect.Effect<bigint>
  /** The user's deposit for an order, sent and in no block yet. */
  readonly deposit: (currency: Currency, amount: bigint, order: Hex32) => Effect.Effect<TransactionId>
  /** Signs and sends what a step asks of the user; in no block yet. */
  readonly carryOut: (step: Step) => Effect.Effect<TransactionId>
  /** The next block, with all that was sent. */
  readonly mine: Effect.Effect<void>
  /** Blocks until what stands now is final. */
  readonly finalise: Effect.Effect<void>
  /** The newest block is no longer there, and the chain has forgotten its transactions: the next one takes its place. */
  readonly takeBack: Effect.Effect<void>
}>()("causeway/property-tests/FamilyStage") {}

/** A sentence that a port must keep, and a check that dies where it does not. */
export interface Contract<R> {
  readonly name: string
  /** Only chains that have this can keep it: `contractsOn` puts something in its place on others. */
  readonly needs?: Trait
  readonly check: Effect.Effect<void, unknown, R | FamilyFixture>
}

/** The newest block is replaced by one that has nothing of it. */
export const replaceNewest = Effect.gen(function*() {
  const { mine, takeBack } = yield* FamilyFixture
  yield* takeBack
  yield* mine
})
