/**
 * Returns money that was swept from a deposit address under no order of ours: under id zero, because its quote was
 * deleted, or under a later request that a restored store has forgotten (RESTORE-2). It goes to refundTo, or else to
 * recoveryAddress, less the gas of the refund and of the sweep. Nothing of it is sponsored.
 *
 * SECURITY: on the hub, a deposit under id zero belongs to its depositor, who would be paid twice by a refund. So does a
 * forgotten sweep that names the address's depositor, as those of TRX and on Solana do. So refunds of both are made only
 * when an operator has set an amount for them (DROPPED_ADDRESS_REFUNDS_USD), within the cap of unattested refunds. Where
 * a forgotten sweep names the address itself, its deposit is on the hub that key's, and so nobody else's.
 *
 * Under id zero, only the transaction of one of our own sweeps, by the store, qualifies: others who deposit under id zero
 * are refunded nothing here. A forgotten sweep is one that the address, a key of ours, has sent itself.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Chains } from "../../../../ports/chain/Chains.ts"
import type { KeptAddress } from "../../../../ports/store/orders/DepositAddresses.ts"
import { DepositAddresses } from "../../../../ports/store/orders/DepositAddresses.ts"
import { Deposits } from "../../../../ports/store/orders/Deposits.ts"
import { Payments } from "../../../../ports/store/orders/Payments.ts"
import { TransferHistory } from "../../../../ports/store/orders/TransferHistory.ts"
import { UnpaidAddresses } from "../../../../ports/store/operations/UnpaidAddresses.ts"
import type { Chain } from "../../../domain/chain/Chain.ts"
import type { Hex32 } from "../../../domain/encoding/Hex.ts"
import { NO_ORDER } from "../../../domain/deposit-address/reindex/NoOrder.ts"
import { OrderId } from "../../../domain/order/Order.ts"
import type { Deposit } from "../../../domain/transfer/deposit/Deposit.ts"
import type { RefundedTransfer } from "../../../domain/transfer/refund/RefundedTransfer.ts"
import { Policy } from "../../operations/Policy.ts"
import { countStuck } from "../../operations/Meters.ts"
import { retryForever } from "../../polling/RetryForever.ts"
import { confirmRecorded } from "../ConfirmRecorded.ts"
import { step } from "../FillingSteps.ts"
import type { ConfirmedClaimant } from "../MintedTransaction.ts"
import { refundOf } from "./DueRefund.ts"
import { followRefund, refundDeposit } from "./RefundDeposit.ts"
import { servedChain } from "../../../domain/chain/ChainNotServed.ts"

interface Dropped {
  readonly deposit: Deposit
  readonly kept: KeptAddress
  /** The chain of the deposit. */
  readonly chain: Chain
  /** What became of the order of the money. */
  readonly order: "dropped" | "forgotten"
  /** The hub may credit somebody else than a key of ours with it. */
  readonly isCredited: boolean
}

/** Undefined for a deposit that is not ours. */
const loadSwept = Effect.fnUntraced(function*(chain: Chain, deposit: Deposit) {
  const unpaid = yield* UnpaidAddresses
  const kept = yield* unpaid.sweptBy(deposit.transactionId, deposit.currency)
  const { depositor } = deposit
  // An address that is a key may sign the sweep itself, and nobody else has it: then it is the depositor.
  if (kept === undefined || (depositor !== kept.depositor && depositor !== kept.address)) return undefined
  return { deposit, kept, chain, order: "dropped", isCredited: true } satisfies Dropped
})

/**
 * Undefined for a deposit that is not ours, and for one whose order was paid: the payment is in the store, once all that
 * were made since the backup are known. SECURITY: until then this fails. Payments of an order that the store does not
 * know were found in final blocks. So one that reverted there has paid nothing, and never will.
 */
const loadForgotten = Effect.fnUntraced(function*(chain: Chain, deposit: Deposit) {
  const addresses = yield* DepositAddresses
  const payments = yield* Payments
  const history = yield* TransferHistory
  const [kept] = yield* addresses.among([deposit.sender])
  const isCredited = deposit.depositor !== kept?.address
  if (kept === undefined || (isCredited && deposit.depositor !== kept.depositor)) return undefined
  yield* payments.refuseHeld(chain)
  const own = refundOf(deposit)
  const others = (yield* history.allPayments(OrderId.make(deposit.depositId))).filter(({ leg, state }) =>
    leg !== own && state !== "reverted"
  )
  if (others.length > 0) return undefined
  return { deposit, kept, chain, order: "forgotten", isCredited } satisfies Dropped
})

/** Undefined for a deposit that is not ours or needs nothing, and for one that has a later sighting. */
export const loadDropped = Effect.fnUntraced(function*(onchainId: Hex32, sighting: number) {
  const deposits = yield* Deposits
  const found = yield* deposits.find(onchainId)
  if (found === undefined || found.sighting !== sighting) return undefined
  const chains = yield* Chains
  const chain = yield* Effect.fromResult(servedChain(chains.all, found.deposit.chainId))
  return found.deposit.depositId === NO_ORDER
    ? yield* loadSwept(chain, found.deposit)
    : yield* loadForgotten(chain, found.deposit)
})

/** No request shows the refund, and no input of its order settles anything. */
const refundedOf = (
  { deposit: { amount, depositId }, isCredited, kept, order }: Dropped
): RefundedTransfer => {
  const { address, chainId, currency, depositor, mode, refundTo } = kept
  return {
    ...(isCredited ? { isCredited } : {}),
    id: kept.requestId,
    // After another restore the refund tells that the deposit has one.
    orderId: order === "dropped" ? kept.orderId : OrderId.make(depositId),
    order: { inputs: [], output: { calls: [] } },
    terms: {
      originChainId: chainId,
      originCurrency: currency,
      user: depositor,
      amountIn: amount,
      refundTo,
      depositAddress: { address, mode, depositor, ...(refundTo === undefined ? {} : { refundTo }) }
    }
  }
}

/** After how long a refund beyond the cap is retried. There is no request through which an operator could retry it. */
const CAPPED_AGAIN = Duration.minutes(10)

/** Of a forgotten order, the address's own request has its result, which stays. */
const reasonOf = ({ order }: Dropped) => order === "dropped" ? "ORDER_EXPIRED" : "DOUBLE_SPEND"

/** For operators. */
const cameTo = ({ kept: { address }, order }: Dropped): string =>
  order === "dropped"
    ? `what came to ${address} after its quote was dropped`
    : `what was swept from ${address} under an order that was forgotten with the backup`

export const returnDropped = Effect.fnUntraced(function*(dropped: Dropped, sighting: number) {
  const { chain, deposit, isCredited, kept } = dropped
  const { droppedAddressRefunds } = yield* Policy
  if (isCredited && droppedAddressRefunds === 0n) {
    yield* countStuck("unrefundable")
    yield* Effect.logError(
      `${
        cameTo(dropped)
      } is its depositor's on the hub, ${kept.depositor}, and does not go back besides, because DROPPED_ADDRESS_REFUNDS_USD is 0: ${deposit.transactionId} (${deposit.onchainId})`
    )
    return "foreign"
  }
  const transfer = refundedOf(dropped)
  const confirmation = yield* step(
    "confirm",
    confirmRecorded(chain, { deposit, sighting }, kept.address, Effect.void).pipe(retryForever("confirm"))
  )
  if (confirmation._tag === "Gone") {
    yield* followRefund(chain, transfer, deposit)
    return "gone"
  }
  const claimant: ConfirmedClaimant = {
    deposit: { ...deposit, block: confirmation.block },
    sighting,
    mintable: confirmation.mintable
  }
  const outcome = yield* refundDeposit(chain, transfer, claimant, reasonOf(dropped), CAPPED_AGAIN)
  // No request shows it.
  if (outcome === "unrefundable") {
    yield* countStuck("unrefundable")
    yield* Effect.logError(
      `${
        cameTo(dropped)
      } stays in the depository, because nobody is named for it, it is not worth its gas, or its refund failed: ${deposit.transactionId} (${deposit.onchainId})`
    )
  }
  return outcome
})
