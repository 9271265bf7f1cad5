/**
 * What a family provides to test its ports against their contracts: a chain with funded accounts, and the actions of
 * its users. Each contract runs on a new fixture.
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

/**
 * A chain of the family with money on it, and what a contract may do there: deposit, mine, finalise, take blocks back.
 */
export class FamilyFixture extends Context.Service<FamilyFixture, {
  readonly chain: Chain
  /** A currency of the chain other than its native one. */
  readonly token: Currency
  /** Holds enough of both currencies for every contract. */
  readonly user: Address
  /** Has no balance. */
  readonly stranger: Address
  /** Cannot receive a token; undefined where every account can (trait `refusal`). */
  readonly refusing: Address | undefined
  /** An account's balance at the newest block, smallest units, read from the chain itself. */
  readonly balance: (of: Address, currency: Currency) => Effect.Effect<bigint>
  /** The user's deposit for an order, sent but in no block yet. */
  readonly deposit: (currency: Currency, amount: bigint, order: Hex32) => Effect.Effect<TransactionId>
  /** Signs and sends the user's transaction of a step. In no block yet. */
  readonly carryOut: (step: Step) => Effect.Effect<TransactionId>
  /** Makes the next block with everything that was sent. */
  readonly mine: Effect.Effect<void>
  /** Makes blocks until the current state is final. */
  readonly finalise: Effect.Effect<void>
  /** Removes the newest block and its transactions from the chain. The next block takes its place. */
  readonly takeBack: Effect.Effect<void>
}>()("causeway/property-tests/FamilyStage") {}

/** A property that a port must have, and a check that dies when it does not hold. */
export interface Contract<R> {
  readonly name: string
  /** The trait that a chain needs for this contract. On chains without it, `contractsOn` checks the lack instead. */
  readonly needs?: Trait
  readonly check: Effect.Effect<void, unknown, R | FamilyFixture>
  /** What holds by this port on chains without the trait; absent where the trait's own check says it. */
  readonly without?: Effect.Effect<void, unknown, R | FamilyFixture>
}

/** Replaces the newest block by one with none of its transactions. */
export const replaceNewest = Effect.gen(function*() {
  const { mine, takeBack } = yield* FamilyFixture
  yield* takeBack
  yield* mine
})
