/** How and where the deposit of a quote is made. */
import * as Effect from "effect/Effect"
import type { KeptAddress } from "../../../ports/DepositAddresses.ts"
import type { DepositWay } from "../../../ports/StepBuilder.ts"
import { computeDepositAddress } from "../../domain/deposit-address/DepositAddress.ts"
import type { OrderId } from "../../domain/order/Order.ts"
import type { PermitTerms } from "../../domain/permit/Permit.ts"
import type { ResolvedRequest } from "../../domain/quote/ResolveRequest.ts"
import { isSend } from "../../domain/quote/Send.ts"
import type { SwapBefore } from "../OriginSwapping.ts"
import type { OwnSwap } from "./Found.ts"

/** How the user gets its money there; `at`: a deposit address that there is already. */
export const wayOf = (request: ResolvedRequest, at: KeptAddress | undefined, permit: PermitTerms | undefined, { before, swap }: { readonly swap?: OwnSwap; readonly before?: SwapBefore }): DepositWay => {
  if (before !== undefined) return { _tag: "SwapDeposit", ...before }
  if (swap !== undefined) return swap.call._tag === "Instructions" ? { _tag: "Route", route: swap.call } : { _tag: "Swap", call: swap.call, gas: swap.gas }
  if (isSend(request)) return { _tag: "Send", recipient: request.recipient }
  if (permit !== undefined) return { _tag: "Permit", terms: permit }
  if (request.depositAddress !== undefined) return { _tag: "Address", ...request.depositAddress, address: at?.address }
  return { _tag: request.explicitDeposit ? "Depository" : "Transfer" }
}

/** Where the order's deposits arrive; undefined where its user names it. `at`: an address that there is already. */
export const addressFor = ({ depositAddress: asked }: ResolvedRequest, id: OrderId, at: KeptAddress | undefined) => {
  if (asked === undefined) return Effect.undefined
  return at === undefined ? Effect.orDie(Effect.fromResult(computeDepositAddress({ ...asked, orderId: id }))) : Effect.succeed(at.address)
}
