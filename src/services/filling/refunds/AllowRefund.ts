/**
 * How much of a deposit goes back, and until when that may be signed: what nothing settles, within the cap of
 * unattested refunds.
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
import { planRefund } from "../../../domain/transfer/refund/RefundPlan.ts"
import type { RefundedTransfer } from "../../../domain/transfer/refund/RefundedTransfer.ts"
import { chargedCalls, leastAfterRevert } from "../../../domain/transfer/payment/RevertedCalls.ts"
import { Policy } from "../../operations/Policy.ts"
import { canBeMinted } from "../MintedTransaction.ts"
import type { ConfirmedClaimant } from "../MintedTransaction.ts"
import type { RevertedFill } from "./RevertedFill.ts"

/**
 * What was reserved under the cap is reserved again when it was not signed for so long, seconds: it counts from when it
 * is signed.
 */
const RESERVED_SECONDS = 3_600

/** Whoever pays to a deposit address has it swept. */
export const atAddress = ({ terms }: RefundedTransfer): boolean => terms.depositAddress !== undefined

/** How a refund that is not signed yet may be signed. */
interface AllowedRefund {
  /** Smallest units. */
  readonly amount: bigint
  /** Seconds. Not signed by then, it is decided again. */
  readonly notAfter: number
}

/**
 * SECURITY: what nothing settles is paid within the cap only, by its whole deposit: that is the refund and the gas of
 * it. So is the gas that the solver bears of what strangers deposited, who could have it burn much of that with little
 * of theirs; anybody can pay to a deposit address. Undefined when it is beyond the cap.
 */
export const allowRefund = Effect.fnUntraced(
  function*(
    chain: Chain,
    transfer: RefundedTransfer,
    claimant: ConfirmedClaimant,
    recipient: Address,
    currency: Currency,
    net: bigint,
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
    // Of what settles the solver bears some of the gas; how often a stranger may have it do so is bounded as well.
    const borne = planned._tag === "Unattestable"
      ? deposited
      : planRefund(transfer, claimant.deposit).decides && !atAddress(transfer)
      ? 0n
      : maxOf(0n, amount - net)
    if (borne === 0n || amount === 0n) return { amount, notAfter: within } satisfies AllowedRefund
    const prices = yield* Prices
    const unattested = yield* UnattestedRefunds
    const { droppedAddressRefunds, unattestedRefunds } = yield* Policy
    const cap = transfer.isDropped === true ? minOf(unattestedRefunds, droppedAddressRefunds) : unattestedRefunds
    const lost = microsCeil(usdCeil(borne, yield* prices.priceOf(currency)))
    return (yield* unattested.reserve({ onchainId, usdMicros: lost }, cap, at))
      ? { amount, notAfter: Math.min(within, now + RESERVED_SECONDS) } satisfies AllowedRefund
      : undefined
  }
)
