/**
 * What came to a deposit address after its quote was dropped, and was swept under no order: it goes back to refundTo,
 * else to recoveryAddress, less the gas of it and of the sweep; nobody sponsors anything of it.
 *
 * SECURITY: on the hub a deposit under no order is its depositor's, who is paid twice when it goes back as well: it
 * goes back only where an operator has set a sum for that (DROPPED_ADDRESS_REFUNDS_USD), within the cap of unattested
 * refunds. Only the transaction of a sweep of ours, by the store, makes a deposit one: whoever deposits under no order
 * is given nothing back here.
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
import { confirmDeposit } from "../ConfirmDeposit.ts"
import { step } from "../FillingSteps.ts"
import type { ConfirmedClaimant } from "../MintedTransaction.ts"
import { refundDeposit } from "./RefundDeposit.ts"
import { servedChain } from "../../../domain/chain/ChainNotServed.ts"

interface Dropped {
  readonly deposit: Deposit
  readonly kept: KeptAddress
  /** The chain that the deposit is on. */
  readonly chain: Chain
}

/** Undefined for a deposit that is none of ours. */
export const loadDropped = Effect.fnUntraced(function*(onchainId: Hex32) {
  const deposits = yield* Deposits
  const found = yield* deposits.find(onchainId)
  if (found === undefined || found.deposit.depositId !== NO_ORDER) return undefined
  const unpaid = yield* UnpaidAddresses
  const kept = yield* unpaid.sweptBy(found.deposit.transactionId, found.deposit.currency)
  if (kept === undefined || kept.depositor !== found.deposit.depositor) return undefined
  const chains = yield* Chains
  const chain = yield* Effect.fromResult(servedChain(chains.all, found.deposit.chainId))
  return { deposit: found.deposit, kept, chain } satisfies Dropped
})

/** The request is gone: nothing is shown of it, and no input of its order settles anything. */
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

/** How long what the cap holds back waits until it is tried again: no request is left by which an operator could. */
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
    confirmDeposit(chain, deposit, kept.address).pipe(retryForever("confirm"))
  )
  if (confirmation._tag === "Gone") return "gone"
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
