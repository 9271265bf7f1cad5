/** The app fees of a transfer for an input: each recipient's share (REQUEST-28, appFees). */
import { Bps } from "../money/Bps.ts"
import { shareAppFees } from "../quote/pricing/AppFees.ts"
import type { AppFee, AppFeeShare } from "../quote/pricing/AppFees.ts"
import type { Transfer } from "./Transfer.ts"

/** Shares of `amountIn`, smallest units of the origin currency, in the order of the request. */
export const appFeesOf = ({ terms }: Transfer, amountIn: bigint): ReadonlyArray<AppFee & AppFeeShare> => {
  const fees = (terms.appFees ?? []).map(({ bps, recipient }) => ({ recipient, bps: Bps(bps) }))
  return shareAppFees(amountIn, fees).map((share, index) => ({ ...share, bps: fees[index]?.bps ?? Bps(0n) }))
}
