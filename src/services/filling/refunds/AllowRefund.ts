/**
 * How much of a deposit may be refunded and until when that may be signed. Refunds that do not settle count against the
 * cap of unattested refunds.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Prices } from "../../../../ports/market/Prices.ts"
import { UnattestedRefunds } from "../../../../ports/store/ledger/UnattestedRefunds.ts"
import type { Address } from "../../../domain/chain/Address.ts"
import type { Chain } from "../../../domain/chain/Chain.ts"
import { usdCeil } from "../../../domain/money/Currency.ts"
import type { Currency } from "../../../domain/money/Currency.ts"
import { maxOf, minOf } from "../../../domain/money/Rounding.ts"
import { microsCeil } from "../../../domain/money/Usd.ts"
import { planSettledRefund } from "../../../domain/hub/settling/SettledRefund.ts"
import { borneRefund } from "../../../domain/transfer/refund/BorneRefund.ts"
import { planRefund } from "../../../domain/transfer/refund/RefundPlan.ts"
import type { RefundedTransfer } from "../../../domain/transfer/refund/RefundedTransfer.ts"
import { chargedCalls, leastAfterRevert } from "../../../domain/transfer/payment/RevertedCalls.ts"
import { Policy } from "../../operations/Policy.ts"
import { canBeMinted } from "../MintedTransaction.ts"
import type { ConfirmedClaimant } from "../MintedTransaction.ts"
import type { PricedRefund } from "./PriceRefund.ts"
import type { RevertedFill } from "./RevertedFill.ts"

/**
 * A reservation under the cap counts from its signature. One that was not signed for this long is made again, seconds.
 */
const RESERVED_SECONDS = 3_600

/** True when the deposit came by the sweep of a deposit address, to which anybody can pay. */
export const atAddress = ({ terms }: RefundedTransfer): boolean => terms.depositAddress !== undefined

/** The limits of a refund that is not signed yet. */
interface AllowedRefund {
  /** Smallest units. */
  readonly amount: bigint
  /** Seconds. If it is not signed by then, it is decided again. */
  readonly notAfter: number
}

/**
 * SECURITY: what `borneRefund` counts is paid only within the cap, by the whole deposit where nothing settles it.
 * Undefined when the cap is exceeded.
 */
export const allowRefund = Effect.fnUntraced(
  function*(
    chain: Chain,
    transfer: RefundedTransfer,
    claimant: ConfirmedClaimant,
    recipient: Address,
    currency: Currency,
    { given, net }: Pick<PricedRefund, "given" | "net">,
    reverted: RevertedFill
  ) {
    const { deposit: { amount: deposited, depositor, onchainId } } = claimant
    const at = yield* Clock.currentTimeMillis
    const now = Math.ceil(at / 1000)
    const mintable = yield* canBeMinted(chain, claimant)
    const planned = planSettledRefund(transfer.order, {
      chain,
      currency: currency.address,
      recipient,
      depositor,
      deposited
    }, {
      net: reverted === undefined ? net : net - chargedCalls(reverted.refund),
      mintable,
      now
    })
    const amount = reverted === undefined
      ? planned.amount
      : planned._tag === "Unattestable"
      ? net
      : maxOf(planned.amount, leastAfterRevert(reverted.refund))
    const within = planned._tag === "Attestable" ? planned.notAfter : now + RESERVED_SECONDS
    const borne = borneRefund({
      settles: planned._tag === "Attestable",
      isOwn: planRefund(transfer, claimant.deposit).decides && !atAddress(transfer),
      deposited,
      amount,
      net,
      given
    })
    if (borne === 0n) return { amount, notAfter: within } satisfies AllowedRefund
    const prices = yield* Prices
    const unattested = yield* UnattestedRefunds
    const { droppedAddressRefunds, unattestedRefunds } = yield* Policy
    const cap = transfer.isCredited === true ? minOf(unattestedRefunds, droppedAddressRefunds) : unattestedRefunds
    const lost = microsCeil(usdCeil(borne, yield* prices.priceOf(currency)))
    return (yield* unattested.reserve({ onchainId, usdMicros: lost }, cap, at))
      ? { amount, notAfter: Math.min(within, now + RESERVED_SECONDS) } satisfies AllowedRefund
      : undefined
  }
)
