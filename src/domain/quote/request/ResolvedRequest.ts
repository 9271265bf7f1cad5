/**
 * A request with everything found, parsed and defaulted. Types only: `ResolveRequest.ts` and `ResolveOptions.ts` make
 * the values. It is generic in the chain, so that a family's rules can speak of requests on chains of families.
 */
import type { Address } from "../../chain/Address.ts"
import type { ConfiguredChain } from "../../chain/ConfiguredChain.ts"
import type { MicroUsdc } from "../../ledger/MicroUsdc.ts"
import type { Bps } from "../../money/Bps.ts"
import type { Currency } from "../../money/Currency.ts"
import type { Usd } from "../../money/Usd.ts"
import type { RouterCall } from "../../order/RouterCall.ts"
import type { Selection } from "../../sponsorship/Selection.ts"
import type { SwapWishes } from "../../swap/SwapWishes.ts"
import type { AppFee } from "../pricing/AppFees.ts"
import type { FixedRate } from "../pricing/FixedRate.ts"
import type { Authorization } from "./RequestLists.ts"
import type { TradeType } from "./TradeType.ts"

/** The sponsorship that a request asks for, before the payer is known. */
export interface RequestedSponsorship {
  readonly selection: Selection
  /** As in the request; without one the key's default applies. */
  readonly cap: MicroUsdc | undefined
}

/** The optional parameters of a request as values. */
export interface ResolvedOptions {
  /** Undefined without subsidizeFees. */
  readonly sponsorship: RequestedSponsorship | undefined
  readonly appFees: ReadonlyArray<AppFee>
  /** Worth of the gas topup; undefined without topupGas. */
  readonly topup: Usd | undefined
  readonly calls: ReadonlyArray<RouterCall>
  /**
   * The most gas that the calls may take together; undefined without `txsGasLimit` (within one chain
   * `gasLimitForDepositSpecifiedTxs`).
   */
  readonly callsGas: bigint | undefined
  /** An address of the origin chain. */
  readonly recoveryAddress: Address | undefined
  /** Set when the deposit is a plain transfer to a deposit address. */
  readonly depositAddress: AskedAddress | undefined
  /** An address of a Solana origin, other than the user. */
  readonly depositFeePayer: Address | undefined
  /** The deposit's transaction says how much it may compute; of a Solana origin only. */
  readonly computeUnitLimit: boolean
  /** What the user's address does not reveal of its key; of a Bitcoin origin only. */
  readonly userPublicKey: Uint8Array | undefined
  /** Set when the user signs for the deposit. */
  readonly permit: AskedPermit | undefined
  /** In the order in which the fill's transaction carries them. */
  readonly authorizations: ReadonlyArray<Authorization>
  readonly fixedRate: FixedRate | undefined
  readonly overridePriceImpact: boolean
  /** The fill may wait for inventory that the solver does not have now. */
  readonly externalLiquidity: boolean
  /** True to have the solver carry out a swap within one chain; elsewhere it always does. */
  readonly forceSolverExecution: boolean
  readonly swaps: SwapWishes
  /** False: the deposit is a plain token transfer with the order id appended. */
  readonly explicitDeposit: boolean
}

/** The deposit address that a request asks for, before the order that it is derived from exists. */
export interface AskedAddress {
  /** Strict: tied to the one order. */
  readonly mode: "open" | "strict"
  /** Undefined where addresses are keys that only the service can derive. */
  readonly factory: Address | undefined
  /** The account that is credited with what no order claims. */
  readonly depositor: Address
}

/** The permit that a request asks for, before its kind is known. */
export interface AskedPermit {
  readonly forwarder: Address
  readonly permit2: Address | undefined
  readonly expirySeconds: number
  /** Gas units of the origin beyond the usual. */
  readonly gasOverhead: bigint
}

/** A request on the configured chains: everything found, parsed and defaulted. */
export interface ResolvedRequestOn<Served extends ConfiguredChain> extends ResolvedOptions {
  readonly origin: Served
  readonly destination: Served
  readonly originCurrency: Currency
  /**
   * The user's currency when it is swapped before the deposit (`OriginSwap`); `originCurrency` is then the deposit's.
   */
  readonly paid?: Currency
  readonly destinationCurrency: Currency
  readonly user: Address
  readonly recipient: Address
  /** An address of the origin chain. */
  readonly refundTo: Address
  readonly refundOnOrigin: boolean
  readonly amount: bigint
  readonly tradeType: TradeType
  readonly slippage: Bps | undefined
  /** For a deposit after the order's deadline; without it such a deposit is refunded. */
  readonly lateSlippage: Bps | undefined
  readonly ttlSeconds: number | undefined
  readonly includeProtocolData: boolean
  readonly referrer: string | undefined
}
