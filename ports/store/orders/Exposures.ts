/**
 * The amount paid, or about to be paid, for deposits that are not final yet (PRICE-20): in micro-dollars, capped for
 * each origin chain and each user.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** A deposit that may be filled before it is final. */
export interface Exposure {
  readonly onchainId: Hex32
  /** The chain of the deposit. */
  readonly chainId: ChainId
  readonly user: Address
  /** Rounded up. */
  readonly usdMicros: bigint
}

/** Micro-dollars. */
export interface ExposureCaps {
  readonly chain: bigint
  readonly user: bigint
}

/** What was paid for deposits that are not final, in micro-dollars, under caps by chain and by user. */
export class Exposures extends Context.Service<Exposures, {
  /**
   * True when the deposit fits under both caps, or was taken before. Atomic under concurrent calls. It counts until the
   * deposit is closed (`Deposits.close`). SECURITY: false while the deposit's chain is halted.
   */
  readonly take: (exposure: Exposure, caps: ExposureCaps) => Effect.Effect<boolean, StoreUnavailable>
}>()("causeway/ports/Exposures") {}
