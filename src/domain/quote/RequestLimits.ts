/** What an operator allows of a request (spec/3 §1, §4 "Ceilings, all configurable"), and how the service is called. */
import type { Bps } from "../money/Bps.ts"
import { DEFAULT_MAX_APP_FEE_BPS } from "./AppFees.ts"

export interface RequestLimits {
  /** Σ appFees (MAX_APP_FEE_BPS). */
  readonly maxAppFeeBps: Bps
  /** Worth of a gas topup, micro-dollars. */
  readonly maxTopup: bigint
  /** Gas of txs: a quarter of a block of the destination; undefined where nobody knows. */
  readonly maxTxsGas: number | undefined
  readonly maxAuthorizations: number
  readonly maxCalls: number
  /** The wire name of the service component (SERVICE_COMPONENT_NAME). */
  readonly serviceName: string
}

/** What is allowed unless an operator says otherwise. */
export const defaultLimits: RequestLimits = {
  maxAppFeeBps: DEFAULT_MAX_APP_FEE_BPS,
  maxTopup: 10_000_000n,
  maxTxsGas: undefined,
  maxAuthorizations: 8,
  maxCalls: 32,
  serviceName: "service"
}
