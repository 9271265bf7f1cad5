/** What an operator allows in a request (REQUEST-29), and the service's name. */
import { Address } from "../../chain/Address.ts"
import type { Bps } from "../../money/Bps.ts"
import { DEFAULT_MAX_APP_FEE_BPS } from "../pricing/AppFees.ts"

/** What a service lets a request ask for: sizes, counts and times. */
export interface RequestLimits {
  /** Σ appFees (MAX_APP_FEE_BPS). */
  readonly maxAppFeeBps: Bps
  /** Worth of a gas topup, micro-dollars. */
  readonly maxTopup: bigint
  /** Gas of txs: a quarter of a block of the destination; undefined where that is unknown. */
  readonly maxTxsGas: number | undefined
  readonly maxAuthorizations: number
  /** Gas units of `originGasOverhead`. */
  readonly maxOriginGasOverhead: number
  readonly maxCalls: number
  /** EVM accounts that no call of a request may name, besides a chain's own contracts: the solver, Permit2. */
  readonly refusedTargets: ReadonlyArray<Address>
  /** The wire name of the service component (SERVICE_COMPONENT_NAME). */
  readonly serviceName: string
}

/** The canonical address of Permit2 on every EVM chain, whether it is there or not. */
export const PERMIT2 = Address.make("0x000000000022d473030f116ddee9f6b43ac78ba3")

/** The limits unless an operator configures others. */
export const defaultLimits: RequestLimits = {
  maxAppFeeBps: DEFAULT_MAX_APP_FEE_BPS,
  maxTopup: 10_000_000n,
  maxTxsGas: undefined,
  maxAuthorizations: 8,
  maxOriginGasOverhead: 1_000_000,
  maxCalls: 32,
  refusedTargets: [PERMIT2],
  serviceName: "service"
}
