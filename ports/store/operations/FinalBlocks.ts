/** The newest block of each chain that was seen as final. A final block must never be replaced by another one. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { Cursor } from "../../chain/DepositWatcher.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** The newest block of each chain that was seen as final, by height and hash. */
export class FinalBlocks extends Context.Service<FinalBlocks, {
  readonly find: (chainId: ChainId) => Effect.Effect<Cursor | undefined, StoreUnavailable>
  /** The higher of two blocks stays: another process may have seen more. */
  readonly remember: (chainId: ChainId, block: Cursor) => Effect.Effect<void, StoreUnavailable>
  readonly forget: (chainId: ChainId) => Effect.Effect<void, StoreUnavailable>
}>()("causeway/ports/FinalBlocks") {}
