/**
 * Whether what a deposit has above its payment may be returned (REFUND-9). SECURITY: if that payment does not settle the
 * deposit as it is now, all that is returned is the solver's loss, and counts against the cap of unattested refunds.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Prices } from "../../../../ports/market/Prices.ts"
import { UnattestedRefunds } from "../../../../ports/store/ledger/UnattestedRefunds.ts"
import type { StoredPayment } from "../../../../ports/store/orders/Payments.ts"
import type { Address } from "../../../domain/chain/Address.ts"
import type { Chain } from "../../../domain/chain/Chain.ts"
import { hex32FromDigest } from "../../../domain/encoding/Hex.ts"
import { keccakText } from "../../../domain/encoding/StructHash.ts"
import { usdCeil } from "../../../domain/money/Currency.ts"
import type { Currency } from "../../../domain/money/Currency.ts"
import { microsCeil } from "../../../domain/money/Usd.ts"
import type { Deposit } from "../../../domain/transfer/deposit/Deposit.ts"
import { countStuck } from "../../operations/Meters.ts"
import { Policy } from "../../operations/Policy.ts"
import { canBeMinted } from "../MintedTransaction.ts"
import type { ConfirmedClaimant } from "../MintedTransaction.ts"

/** Whether the payment settles the deposit with all that this has. */
export type SettlesBy = (paid: StoredPayment, deposit: Deposit) => boolean

interface Grown {
  readonly chain: Chain
  readonly currency: Currency
  readonly recipient: Address
  readonly claimant: ConfirmedClaimant
  readonly settles: SettlesBy
}

/** Its own place under the cap: that of the deposit may be its refund's. Stored, so the form never changes. */
const placeOf = ({ onchainId }: Deposit) => hex32FromDigest(keccakText(`excess:${onchainId}`))

/** An excess that was there when the payment was signed needs nothing: the payment was made for such a deposit. */
export const allowGrown = Effect.fnUntraced(
  function*({ chain, claimant, currency, recipient, settles }: Grown, paid: StoredPayment, excess: bigint) {
    const { deposit } = claimant
    const isGrown = paid.deposited !== undefined && deposit.amount > paid.deposited
    if (!isGrown || (settles(paid, deposit) && (yield* canBeMinted(chain, claimant)))) return true
    const prices = yield* Prices
    const unattested = yield* UnattestedRefunds
    const { unattestedRefunds: cap } = yield* Policy
    const usdMicros = microsCeil(usdCeil(excess, yield* prices.priceOf(currency)))
    const lost = { onchainId: placeOf(deposit), usdMicros }
    if (yield* unattested.reserve(lost, cap, yield* Clock.currentTimeMillis)) return true
    yield* countStuck("unattested-refunds-capped")
    yield* Effect.logError(
      `a deposit on ${chain.slug} came back with ${excess} more than was paid for, and no oracle attests its payment now: ${deposit.transactionId} (${deposit.onchainId}); it does not fit under UNATTESTED_REFUNDS_USD and is not returned: check it, and pay it by hand to ${recipient}`
    )
    return false
  }
)
