/** Where sighted deposits and the scanning cursors are kept. Seeing a deposit twice is seeing it once. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ChainId } from "../src/domain/chain/ChainId.ts"
import type { Deposit } from "../src/domain/transfer/Deposit.ts"
import type { Cursor } from "./DepositWatcher.ts"
import type { StoreUnavailable } from "./StoreUnavailable.ts"

/** `open` until its filling has ended one way or the other; `foreign` when it names no transfer of ours. */
export type DepositState = "open" | "filled" | "refunded" | "gone" | "foreign" | "unrefundable"

export class Deposits extends Context.Service<Deposits, {
  readonly cursor: (chainId: ChainId) => Effect.Effect<Cursor | undefined, StoreUnavailable>
  /** Sets the cursor of a chain that has none; one that has a cursor keeps it. */
  readonly anchor: (chainId: ChainId, cursor: Cursor) => Effect.Effect<void, StoreUnavailable>
  /** Records the deposits of a scan and its cursor in one transaction; answers with those that were not known before. */
  readonly record: (
    chainId: ChainId,
    cursor: Cursor,
    deposits: ReadonlyArray<Deposit>,
    /** Milliseconds. */
    seenAt: number
  ) => Effect.Effect<ReadonlyArray<Deposit>, StoreUnavailable>
  readonly find: (onchainId: Deposit["onchainId"]) => Effect.Effect<Deposit | undefined, StoreUnavailable>
  readonly open: Effect.Effect<ReadonlyArray<Deposit>, StoreUnavailable>
  readonly close: (onchainId: Deposit["onchainId"], state: Exclude<DepositState, "open">) => Effect.Effect<void, StoreUnavailable>
}>()("causeway/ports/Deposits") {}
