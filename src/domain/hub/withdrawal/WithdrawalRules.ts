/**
 * What a family knows of withdrawals from its depositories (ORACLE-6, EVIDENCE-4): which bytes are one, its id, what it
 * pays and until when. The form of its request is the family's own affair.
 */
import * as Result from "effect/Result"
import type { Address, CurrencyAddress } from "../../chain/Address.ts"
import type { Hex, Hex32 } from "../../encoding/Hex.ts"
import type { ChainNetwork } from "../../chain/ChainNetwork.ts"
import type { InvalidWithdrawal } from "./InvalidWithdrawal.ts"
import type { Payout } from "./Payout.ts"

/** What the chain must tell besides the withdrawal's own bytes. */
export interface PayoutContext {
  readonly network: ChainNetwork
  /** Whose outputs are change, on Bitcoin. */
  readonly depository: string
  /**
   * Wei decimals of a currency, on exchange A, which writes amounts as decimals; undefined for one that is not
   * configured.
   */
  readonly decimals: (currency: CurrencyAddress) => number | undefined
}

/** When a withdrawal expires: in its own second, when the chain says, or never by age alone. */
export type Expiration =
  | { readonly _tag: "At"; readonly second: bigint }
  | { readonly _tag: "AsTold" }
  | { readonly _tag: "Never" }

/** One withdrawal, as it was read. */
export interface ReadWithdrawal {
  readonly id: Hex32
  readonly expiration: Expiration
  /** SECURITY: false for one that only another depository can carry out. */
  readonly isOf: (depository: Address) => boolean
  /** The one payment of it; anything that pays otherwise is an error. */
  readonly payout: (context: PayoutContext) => Result.Result<Payout, InvalidWithdrawal>
}

export interface WithdrawalRules {
  /** Only the canonical encoding of a withdrawal is one. */
  readonly read: (encoded: Hex) => Result.Result<ReadWithdrawal, InvalidWithdrawal>
}

/** A family's codec of its requests. */
export interface WithdrawalCodec<Request> {
  readonly decode: (encoded: Hex) => Result.Result<Request, InvalidWithdrawal>
  readonly idOf: (request: Request) => Result.Result<Hex32, InvalidWithdrawal>
  readonly payoutOf: (request: Request, context: PayoutContext) => Result.Result<Payout, InvalidWithdrawal>
  readonly expirationOf: (request: Request) => Expiration
  /** Any depository's unless named. */
  readonly isOf?: (request: Request, depository: Address) => boolean
}

export const withdrawalRules = <Request>(codec: WithdrawalCodec<Request>): WithdrawalRules => ({
  read: (encoded) =>
    Result.gen(function*() {
      const request = yield* codec.decode(encoded)
      return {
        id: yield* codec.idOf(request),
        expiration: codec.expirationOf(request),
        isOf: (depository) => codec.isOf?.(request, depository) ?? true,
        payout: (context) => codec.payoutOf(request, context)
      }
    })
})

/** Of a request that names its last second. */
export const expiresAt = ({ expiration }: { readonly expiration: bigint }): Expiration => ({
  _tag: "At",
  second: expiration
})

/** Of withdrawals whose own bytes say when they expire. */
export const expiresAsTold = (): Expiration => ({ _tag: "AsTold" })

/** Of withdrawals that can be executed for ever. */
export const neverExpires = (): Expiration => ({ _tag: "Never" })
