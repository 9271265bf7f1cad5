/**
 * The account that pays on exchange B: its index, the key of its Ethereum account, and its API keys. All keys stay with
 * their signers.
 */
import { Context, Effect, Layer } from "effect"
import type { Redacted } from "effect"
import type { Secp256k1Signer } from "../../../ports/signing/Signer.ts"
import type { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { asAddress } from "../../../src/domain/families/AddressCodec.ts"
import { laneOf } from "../../../src/domain/families/exchange-b/payment/Lane.ts"
import type { RollupSigner } from "./rollup/RollupSigner.ts"

/** An API key, as an account that pays. */
export interface Lane {
  readonly apiKey: bigint
  readonly address: Address
}

export class SolverAccount extends Context.Service<SolverAccount, {
  readonly index: bigint
  /** The index, as addresses are spelled. It holds what all API keys pay. */
  readonly address: Address
  readonly lanes: readonly [Lane, ...ReadonlyArray<Lane>]
  /** By the account's Ethereum key: a digest of 32 bytes. */
  readonly signOnL1: Secp256k1Signer["sign"]
  readonly signOnRollup: RollupSigner["sign"]
  /** By which the account's lists are read. `now`: milliseconds of the exchange's clock. */
  readonly token: (now: number) => Effect.Effect<Redacted.Redacted, SignerUnavailable>
}>()("causeway/adapters/exchange-b/SolverAccount") {}

/** The exchange takes tokens of up to eight hours. Milliseconds. */
const TOKEN_LASTS = 6 * 3_600_000
const RENEWED_BEFORE = 3_600_000

export const layer = (index: bigint, { sign: signOnL1 }: Pick<Secp256k1Signer, "sign">, rollup: RollupSigner) => {
  const lane = (apiKey: bigint): Lane => ({ apiKey, address: laneOf(index, apiKey) })
  const [first, ...others] = rollup.apiKeys
  let kept: { readonly until: number; readonly token: Redacted.Redacted } | undefined
  const token = (now: number): Effect.Effect<Redacted.Redacted, SignerUnavailable> => {
    // Also one that a clock far ahead has made is replaced.
    const isFresh = kept !== undefined && kept.until - now > RENEWED_BEFORE && kept.until - now <= TOKEN_LASTS
    if (kept !== undefined && isFresh) return Effect.succeed(kept.token)
    const until = now + TOKEN_LASTS
    return Effect.tap(rollup.token(until), (made) =>
      Effect.sync(() => {
        kept = { until, token: made }
      }))
  }
  return Layer.succeed(SolverAccount, {
    index,
    address: asAddress(index.toString()),
    lanes: [lane(first), ...others.map(lane)],
    signOnL1,
    signOnRollup: rollup.sign,
    token
  })
}
