/**
 * Returns money that came to a deposit address after its quote was deleted, and was swept under id zero. It goes to
 * refundTo, or else to recoveryAddress, less the gas of the refund and of the sweep. Nothing of it is sponsored.
 *
 * SECURITY: on the hub, a deposit under id zero belongs to its depositor, who would be paid twice by a refund. So
 * refunds are made only when an operator has set an amount for them (DROPPED_ADDRESS_REFUNDS_USD), within the cap of
 * unattested refunds. Only the transaction of one of our own sweeps, by the store, qualifies: others who deposit under
 * id zero are refunded nothing here.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Chains } from "../../../../ports/chain/Chains.ts"
import type { KeptAddress } from "../../../../ports/store/orders/DepositAddresses.ts"
import { Deposits } from "../../../../ports/store/orders/Deposits.ts"
import { UnpaidAddresses } from "../../../../ports/store/operations/UnpaidAddresses.ts"
import type { Chain } from "../../../domain/chain/Chain.ts"
import type { Hex32 } from "../../../domain/encoding/Hex.ts"
import { NO_ORDER } from "../../../domain/deposit-address/reindex/NoOrder.ts"
import type { Deposit } from "../../../domain/transfer/deposit/Deposit.ts"
import type { RefundedTransfer } from "../../../domain/transfer/refund/RefundedTransfer.ts"
import { Policy } from "../../operations/Policy.ts"
import { countStuck } from "../../operations/Meters.ts"
import { retryForever } from "../../polling/RetryForever.ts"
import { confirmRecorded } from "../ConfirmRecorded.ts"
import { step } from "../FillingSteps.ts"
import type { ConfirmedClaimant } from "../MintedTransaction.ts"
import { followRefund, refundDeposit } from "./RefundDeposit.ts"
import { servedChain } from "../../../domain/chain/ChainNotServed.ts"

interface Dropped {
  readonly deposit: Deposit
  readonly kept: KeptAddress
  /** The chain of the deposit. */
  readonly chain: Chain
}

/** Undefined for a deposit that is not ours, and for one that has a later sighting. */
export const loadDropped = Effect.fnUntraced(function*(onchainId: Hex32, sighting: number) {
  const deposits = yield* Deposits
  const found = yield* deposits.find(onchainId)
  if (found === undefined || found.sighting !== sighting || found.deposit.depositId !== NO_ORDER) return undefined
  const unpaid = yield* UnpaidAddresses
  const kept = yield* unpaid.sweptBy(found.deposit.transactionId, found.deposit.currency)
  const { depositor } = found.deposit
  // An address that is a key may sign the sweep itself, and nobody else has it: then it is the depositor.
  if (kept === undefined || (depositor !== kept.depositor && depositor !== kept.address)) return undefined
  const chains = yield* Chains
  const chain = yield* Effect.fromResult(servedChain(chains.all, found.deposit.chainId))
  return { deposit: found.deposit, kept, chain } satisfies Dropped
})

/** The request was deleted: nothing shows the refund, and no input of its order settles anything. */
const refundedOf = (
  { address, chainId, currency, depositor, mode, orderId, refundTo, requestId }: KeptAddress,
  { amount }: Deposit
): RefundedTransfer => ({
  isDropped: true,
  id: requestId,
  orderId,
  order: { inputs: [], output: { calls: [] } },
  terms: {
    originChainId: chainId,
    originCurrency: currency,
    user: depositor,
    amountIn: amount,
    refundTo,
    depositAddress: { address, mode, depositor, ...(refundTo === undefined ? {} : { refundTo }) }
  }
})

/** After how long a refund beyond the cap is retried. There is no request through which an operator could retry it. */
const CAPPED_AGAIN = Duration.minutes(10)

export const returnDropped = Effect.fnUntraced(function*({ chain, deposit, kept }: Dropped, sighting: number) {
  const { droppedAddressRefunds } = yield* Policy
  if (droppedAddressRefunds === 0n) {
    yield* countStuck("unrefundable")
    yield* Effect.logError(
      `what came to ${kept.address} after its quote was dropped is its depositor's on the hub, ${kept.depositor}, and does not go back besides, because DROPPED_ADDRESS_REFUNDS_USD is 0: ${deposit.transactionId} (${deposit.onchainId})`
    )
    return "foreign"
  }
  const confirmation = yield* step(
    "confirm",
    confirmRecorded(chain, { deposit, sighting }, kept.address, Effect.void).pipe(retryForever("confirm"))
  )
  if (confirmation._tag === "Gone") {
    yield* followRefund(chain, refundedOf(kept, deposit), deposit)
    return "gone"
  }
  const claimant: ConfirmedClaimant = {
    deposit: { ...deposit, block: confirmation.block },
    sighting,
    mintable: confirmation.mintable
  }
  const outcome = yield* refundDeposit(chain, refundedOf(kept, deposit), claimant, "ORDER_EXPIRED", CAPPED_AGAIN)
  // No request shows it.
  if (outcome === "unrefundable") {
    yield* countStuck("unrefundable")
    yield* Effect.logError(
      `what came to ${kept.address} after its quote was dropped stays in the depository, because nobody is named for it or it is not worth its gas: ${deposit.transactionId} (${deposit.onchainId})`
    )
  }
  return outcome
})
