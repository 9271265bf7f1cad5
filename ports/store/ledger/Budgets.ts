/**
 * What keys may let their sponsors pay, and what they have spent of it. Read when quoting; what is spent is written
 * with the hold that spends it (`SponsorHolds`), in one transaction, so that concurrent spenders never pass a limit.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import type { MicroUsdc } from "../../../src/domain/ledger/MicroUsdc.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { BudgetLimits } from "../../../src/domain/sponsorship/Budget.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** The limits of a key, its default cap, and what counts against them. */
export interface KeyBudget {
  readonly limits: BudgetLimits
  /** What a request without a cap of its own may draw. */
  readonly defaultCap: MicroUsdc | undefined
  readonly spent: MicroUsdc
  readonly spentToday: MicroUsdc
}

/** New limits of a key: what is undefined stays, null removes. */
export type BudgetChange = { readonly [K in keyof BudgetLimits | "defaultCap"]?: MicroUsdc | null | undefined }

export class Budgets extends Context.Service<Budgets, {
  /** Undefined for a key that does not exist. `at` in milliseconds: says which day is today. */
  readonly find: (key: ApiKeyId, at: number) => Effect.Effect<KeyBudget | undefined, StoreUnavailable>
  /** False for a key that does not exist. Holds that were placed before stay. */
  readonly change: (key: ApiKeyId, change: BudgetChange) => Effect.Effect<boolean, StoreUnavailable>
  /** What the key may still spend for a recipient at a time in milliseconds; undefined when nothing limits it. */
  readonly left: (
    key: ApiKeyId,
    recipient: Address,
    at: number
  ) => Effect.Effect<MicroUsdc | undefined, StoreUnavailable>
  /** What all later deposits of an open deposit address may still draw, whatever else limits the key; milliseconds. */
  readonly leftForLater: (key: ApiKeyId, address: Address, at: number) => Effect.Effect<MicroUsdc, StoreUnavailable>
  /**
   * Forgets what was spent on UTC days before one, of all keys, at most so many records, and answers how many went:
   * fewer than `atMost` once nothing is left but what is being written now. Totals stay, and what was held on a day
   * that is forgotten is given back all the same.
   */
  readonly forgetDays: (before: number, atMost: number) => Effect.Effect<number, StoreUnavailable>
}>()("causeway/ports/Budgets") {}
