/**
 * How a family handles withdrawals from its depositories (ORACLE-6, EVIDENCE-4): which bytes are a withdrawal, its id,
 * its payout and its expiration. The format of its request is internal to the family.
 */
import * as Result from "effect/Result"
import type { Address, CurrencyAddress } from "../../chain/Address.ts"
import type { Hex, Hex32 } from "../../encoding/Hex.ts"
import type { ChainNetwork } from "../../chain/ChainNetwork.ts"
import type { InvalidWithdrawal } from "./InvalidWithdrawal.ts"
import type { Payout } from "./Payout.ts"

/** What must be known of the chain besides the withdrawal's bytes. */
export interface PayoutContext {
  readonly network: ChainNetwork
  /** On Bitcoin, outputs to the depository are change. */
  readonly depository: string
  /**
   * Wei decimals of a currency on exchange A, which writes amounts as decimals. Undefined for a currency that is not
   * configured.
   */
  readonly decimals: (currency: CurrencyAddress) => number | undefined
}

/** When a withdrawal expires: at a second that it contains, when the chain reports it, or never by age alone. */
export type Expiration =
  | { readonly _tag: "At"; readonly second: bigint }
  | { readonly _tag: "AsTold" }
  | { readonly _tag: "Never" }

/** A decoded withdrawal. */
export interface ReadWithdrawal {
  readonly id: Hex32
  readonly expiration: Expiration
  /** SECURITY: false for a withdrawal that only another depository can execute. */
  readonly isOf: (depository: Address) => boolean
  /** Its single payment. Anything that does not make exactly one payment is an error. */
  readonly payout: (context: PayoutContext) => Result.Result<Payout, InvalidWithdrawal>
}

/** How a family reads withdrawals from its depositories. */
export interface WithdrawalRules {
  /** Accepts only the canonical encoding of a withdrawal. */
  readonly read: (encoded: Hex) => Result.Result<ReadWithdrawal, InvalidWithdrawal>
}

/** A family's codec of its withdrawal requests. */
export interface WithdrawalCodec<Request> {
  readonly decode: (encoded: Hex) => Result.Result<Request, InvalidWithdrawal>
  readonly idOf: (request: Request) => Result.Result<Hex32, InvalidWithdrawal>
  readonly payoutOf: (request: Request, context: PayoutContext) => Result.Result<Payout, InvalidWithdrawal>
  readonly expirationOf: (request: Request) => Expiration
  /** If absent, a request can be for any depository. */
  readonly isOf?: (request: Request, depository: Address) => boolean
}

/** A codec for code that makes withdrawals. Encoding fails when a value does not fit its member. */
export interface TwoWayCodec<Request> extends WithdrawalCodec<Request> {
  readonly encode: (request: Request) => Result.Result<Hex, InvalidWithdrawal>
}

/** The rules for judges, made from a family's codec. */
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

/** For requests that contain their last second. */
export const expiresAt = ({ expiration }: { readonly expiration: bigint }): Expiration => ({
  _tag: "At",
  second: expiration
})

/** For withdrawals whose expiration the chain reports. */
export const expiresAsTold = (): Expiration => ({ _tag: "AsTold" })

/** For withdrawals that can be executed forever. */
export const neverExpires = (): Expiration => ({ _tag: "Never" })
