/**
 * What a transfer of exchange B shows (EXCHANGEB-1, EXCHANGEB-2): one payment, which is a deposit into the depository's
 * account or a withdrawal from it. Its memo names the order, unless the memo's last 12 bytes are zero. Then the memo is
 * a text, or an account for another use.
 *
 * A transfer that the protocol cannot express proves nothing and says why.
 */
import * as Result from "effect/Result"
import type { Address } from "../../../chain/Address.ts"
import { asAddress } from "../../AddressCodec.ts"
import type { ChainNetwork } from "../../../chain/ChainNetwork.ts"
import { type Hex32, ZERO_32 } from "../../../encoding/Hex.ts"
import { exchangeBCurrency, exchangeBWithdrawalId } from "../ExchangeBWithdrawal.ts"
import type { ExchangeBWithdrawal } from "../ExchangeBWithdrawal.ts"
import type { TransactionEvidence } from "../../../evidence/TransactionEvidence.ts"

/** As the exchange knows it: what the sender signed, without the number of the network. */
export type SentTransfer = Omit<ExchangeBWithdrawal, "lighterChainId">

/** The part of a transaction's evidence that a transfer can have. */
export type TransferFacts = Pick<
  TransactionEvidence,
  "deposits" | "payments" | "orderIds" | "withdrawals" | "unattestable"
>

/** Every transaction has exactly one transfer. */
const TRANSFER_INDEX = 0

const nothing: TransferFacts = { deposits: [], payments: [], orderIds: [], withdrawals: [] }

/** The number of the network in signed messages. */
export const lighterChainIdOf = (network: ChainNetwork): bigint => network === "mainnet" ? 304n : 300n

/** The id in a memo. Undefined for every other memo. */
export const orderIdIn = (memo: Hex32): Hex32 | undefined => /0{24}$/.test(memo) ? undefined : memo

/** True for the transfer that this withdrawal asks for. */
export const executes = (transfer: SentTransfer, lighterChainId: bigint, id: Hex32): boolean => {
  const own = exchangeBWithdrawalId({ ...transfer, lighterChainId })
  return Result.isSuccess(own) && own.success === id
}

/**
 * A transfer by the depository is a withdrawal, one to it a deposit, any other one a payment (EXCHANGEB-1,
 * EXCHANGEB-2).
 */
export const transferFacts = (transfer: SentTransfer, depository: Address, network: ChainNetwork): TransferFacts => {
  const [from, to] = [asAddress(transfer.fromAccountIndex.toString()), asAddress(transfer.toAccountIndex.toString())]
  if (from === depository) {
    const id = exchangeBWithdrawalId({ ...transfer, lighterChainId: lighterChainIdOf(network) })
    return Result.isSuccess(id) ? { ...nothing, withdrawals: [id.success] } : nothing
  }
  const currency = exchangeBCurrency(transfer.assetIndex, transfer.toRouteType)
  if (Result.isFailure(currency)) return { ...nothing, unattestable: currency.failure.message }
  const { amount, memo } = transfer
  if (amount === 0n) return { ...nothing, unattestable: "an amount of zero" }
  const id = orderIdIn(memo)
  return to === depository
    ? {
      ...nothing,
      deposits: [{
        depository,
        index: TRANSFER_INDEX,
        depositId: id ?? ZERO_32,
        depositor: from,
        currency: currency.success,
        amount
      }]
    }
    : {
      ...nothing,
      payments: [{ recipient: to, currency: currency.success, amount, through: { _tag: "Direct" } }],
      orderIds: id === undefined ? [] : [id]
    }
}
