/**
 * What signs for the rollup of exchange B: the API keys of one account. The keys stay with the signer, so another
 * implementation can take its place.
 */
import type { Effect, Redacted } from "effect"
import type { SignerUnavailable } from "../../../../ports/signing/SignerUnavailable.ts"
import type { ExchangeBWithdrawal } from "../../../../src/domain/families/exchange-b/ExchangeBWithdrawal.ts"

/** A transfer as the rollup is asked for it, and the name under which it shows it. */
export interface RollupTransfer {
  /** The exchange's `tx_info`, still without the signature of the owner's Ethereum account. */
  readonly info: string
  /** 40 bytes of hex. It depends on what is signed, not on the key or the signature. */
  readonly hash: string
}

export interface RollupSigner {
  /** In the order of preference, never empty. */
  readonly apiKeys: readonly [bigint, ...ReadonlyArray<bigint>]
  /**
   * By the transfer's API key. Every call makes another signature of one hash. `expiredAt`: milliseconds. Fails with
   * `unsuitable-key` for numbers that the rollup does not take, or an API key that it has not.
   */
  readonly sign: (
    transfer: ExchangeBWithdrawal,
    expiredAt: number
  ) => Effect.Effect<RollupTransfer, SignerUnavailable>
  /** Lets its holder read the account's lists until then, milliseconds. */
  readonly token: (until: number) => Effect.Effect<Redacted.Redacted, SignerUnavailable>
}
