/**
 * The amounts that keys may let their sponsors pay, and what they have spent. Read when quoting. Spending is written
 * with the hold that causes it (`SponsorHolds`), in one transaction, so that concurrent requests never exceed a limit.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import type { MicroUsdc } from "../../../src/domain/ledger/MicroUsdc.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { BudgetLimits } from "../../../src/domain/sponsorship/Budget.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** A key's limits, its default cap, and the spending that counts against them. */
export interface KeyBudget {
  readonly limits: BudgetLimits
  /** The most that a request without a cap of its own may draw. */
  readonly defaultCap: MicroUsdc | undefined
  readonly spent: MicroUsdc
  readonly spentToday: MicroUsdc
}

/** New limits of a key: undefined keeps a limit, null removes it. */
export type BudgetChange = { readonly [K in keyof BudgetLimits | "defaultCap"]?: MicroUsdc | null | undefined }

/** Limits and spending of API keys, in micro-USDC. Times are in milliseconds. */
export class Budgets extends Context.Service<Budgets, {
  /** Undefined for a key that does not exist. `at` in milliseconds selects the current UTC day. */
  readonly find: (key: ApiKeyId, at: number) => Effect.Effect<KeyBudget | undefined, StoreUnavailable>
  /** False for a key that does not exist. Does not change holds placed before. */
  readonly change: (key: ApiKeyId, change: BudgetChange) => Effect.Effect<boolean, StoreUnavailable>
  /** What the key may still spend for a recipient at a time in milliseconds; undefined when no limit applies. */
  readonly left: (
    key: ApiKeyId,
    recipient: Address,
    at: number
  ) => Effect.Effect<MicroUsdc | undefined, StoreUnavailable>
  /**
   * What all later deposits of an open deposit address may still draw, regardless of the key's other limits;
   * milliseconds.
   */
  readonly leftForLater: (key: ApiKeyId, address: Address, at: number) => Effect.Effect<MicroUsdc, StoreUnavailable>
  /**
   * Deletes the spending recorded for UTC days before a given day, for all keys, at most `atMost` records. Returns how
   * many were deleted: fewer than `atMost` once nothing is left except what is being written now. Totals stay, and a
   * hold that was placed on a deleted day can still be given back.
   */
  readonly forgetDays: (before: number, atMost: number) => Effect.Effect<number, StoreUnavailable>
}>()("causeway/ports/Budgets") {}
