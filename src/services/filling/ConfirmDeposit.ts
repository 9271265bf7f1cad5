/**
 * Waits until a deposit is as deep as its value requires (PRICE-21), or gone. On a halted chain it waits until the halt
 * ends. The same reading says whether the deposit's transaction can be minted; this is stored with it.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Standing } from "../../../ports/chain/DepositWatcher.ts"
import type { ReadBy } from "../../../ports/chain/ReadBy.ts"
import { Exposures } from "../../../ports/store/orders/Exposures.ts"
import { Prices } from "../../../ports/market/Prices.ts"
import type { Address } from "../../domain/chain/Address.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { findCurrency } from "../../domain/chain/Chain.ts"
import { usdFloor } from "../../domain/money/Currency.ts"
import { microsCeil } from "../../domain/money/Usd.ts"
import type { Usd } from "../../domain/money/Usd.ts"
import { isDeepEnough } from "../../domain/quote/assemble/TimeEstimate.ts"
import { isMintable } from "../../domain/hub/settling/Mintable.ts"
import { StoredBlockRef } from "../../domain/transfer/deposit/StoredBlockRef.ts"
import type { Deposit } from "../../domain/transfer/deposit/Deposit.ts"
import { isHalted, seemsHalted } from "../deposits/halt/Halting.ts"
import { found, lookUntil, whenFinal, whenMoved } from "../following/LookUntil.ts"
import { Policy } from "../operations/Policy.ts"
import { retryForever } from "../polling/RetryForever.ts"
import { recordedStanding } from "./RecordedStanding.ts"
import type { Misreported } from "./RecordedStanding.ts"

/** The stored result of confirming a deposit. Its forms never change, they are only added to. */
export const Confirmation = Schema.Union([
  Schema.TaggedStruct("Confirmed", {
    block: StoredBlockRef,
    /** True when the transaction's deposits can be minted on the hub. Missing in results of earlier versions. */
    mintable: Schema.optionalKey(Schema.Boolean)
  }),
  Schema.TaggedStruct("Gone", {})
])
export type Confirmation = typeof Confirmation.Type

/** True when the deposit fits under the exposure caps. Above them it waits for finality (PRICE-20). */
const isBearable = Effect.fnUntraced(function*({ chainId, onchainId }: Deposit, user: Address, value: Usd) {
  const exposures = yield* Exposures
  const { exposure } = yield* Policy
  return yield* exposures.take({ onchainId, chainId, user, usdMicros: microsCeil(value) }, exposure)
})

type Included = Extract<Standing, { readonly _tag: "Included" }>

const confirmedBy = (chain: Chain, { block, deposits }: Included): Confirmation => ({
  _tag: "Confirmed",
  block,
  mintable: isMintable(chain, deposits)
})

/** SECURITY: read after the chain was. On a halted chain nothing is confirmed or gone. */
const unlessHalted = ({ id }: Chain, confirmation: Confirmation | Misreported) =>
  Effect.map(isHalted([id]), (halted) => halted ? whenMoved : found(confirmation))

/** True when no depth is enough for the value, only finality. */
const needsFinality = (chain: Chain, value: Usd): boolean => !isDeepEnough(chain, value, Infinity, false)

/**
 * One check.
 *
 * SECURITY: a deposit counts as final, or as gone, by the quorum alone. Before that, one endpoint is believed for
 * deposits of little value only, and each of them takes its part of the exposure: what a lying endpoint can invent is
 * bounded by these caps (QUORUM-5). A scan believes one endpoint, too: what it has recorded counts only as the reading
 * shows it, in amount, order and depositor.
 */
const look = Effect.fnUntraced(function*(chain: Chain, deposit: Deposit, user: Address, by: ReadBy) {
  if (yield* seemsHalted([chain.id])) return whenMoved
  const standing = yield* recordedStanding(chain, deposit, by)
  if (standing._tag !== "Included") return yield* unlessHalted(chain, standing)
  if (standing.final) return yield* unlessHalted(chain, confirmedBy(chain, standing))
  const currency = findCurrency(chain, deposit.currency)
  // Without a price there is no value for which a shallow confirmation would be enough.
  if (currency === undefined) return whenFinal(standing.block.height)
  const prices = yield* Prices
  const { quorumFrom } = yield* Policy
  const value = usdFloor(deposit.amount, yield* prices.priceOf(currency))
  if (!isDeepEnough(chain, value, standing.confirmations, false)) {
    return needsFinality(chain, value) ? whenFinal(standing.block.height) : whenMoved
  }
  const seen = by === "endpoint" && microsCeil(value) >= quorumFrom
    ? yield* recordedStanding(chain, deposit, "quorum")
    : standing
  if (seen._tag !== "Included") return yield* unlessHalted(chain, seen)
  if (seen.final) return yield* unlessHalted(chain, confirmedBy(chain, seen))
  // Exposure is refused where the chain is halted.
  const enough = isDeepEnough(chain, value, seen.confirmations, false) && (yield* isBearable(deposit, user, value))
  // Exposure that is used up now may be free before the deposit is final.
  return enough ? found(confirmedBy(chain, seen)) : whenMoved
})

/** `user`: whose exposure cap applies. */
export const confirmDeposit = Effect.fn("Filling.confirm")((chain: Chain, deposit: Deposit, user: Address) =>
  lookUntil(chain, (by) => look(chain, deposit, user, by).pipe(retryForever("confirm")))
)
