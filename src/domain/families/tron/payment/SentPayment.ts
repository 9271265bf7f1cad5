/** What a transaction of tron-vm pays, when it has the form of `paymentBody`. Pure, total. */
import type { Address, CurrencyAddress } from "../../../chain/Address.ts"
import type { Hex32 } from "../../../encoding/Hex.ts"
import { asCurrency } from "../../AddressCodec.ts"
import { ethereumAddresses } from "../../ethereum/EthereumAddresses.ts"
import { plainPaymentId } from "../../ethereum/evidence/PlainPayment.ts"
import { accountOf, uintOf } from "../../ethereum/evidence/Words.ts"
import { orderIdInMemo } from "../evidence/Memo.ts"
import type { TronTransaction } from "../evidence/TronTransaction.ts"

/** The order that a transaction of the account pays. */
export interface PaidOrder {
  readonly orderId: Hex32
  /** In EVM form. */
  readonly recipient: Address
  /** In EVM form; the zero account for TRX. */
  readonly currency: CurrencyAddress
  /** Smallest units. */
  readonly amount: bigint
}

const native = ethereumAddresses.nativeCurrency

/** The selector of `transfer`, then two words. */
const TRANSFER = /^0xa9059cbb([0-9a-f]{64})([0-9a-f]{64})/

/** Undefined for a transaction that names no order (TRON-8). */
export const paidOrderIn = ({ act, memo }: Pick<TronTransaction, "act" | "memo">): PaidOrder | undefined => {
  switch (act._tag) {
    case "Transfer": {
      const orderId = orderIdInMemo(memo)
      return orderId === undefined ? undefined : { orderId, recipient: act.to, currency: native, amount: act.amount }
    }
    case "Trigger": {
      const orderId = plainPaymentId(act.input)
      if (orderId === undefined) return undefined
      const [, to, amount] = TRANSFER.exec(act.input) ?? []
      if (to === undefined || amount === undefined) {
        return act.value === 0n
          ? undefined
          : { orderId, recipient: act.contract, currency: native, amount: act.value }
      }
      const recipient = accountOf(to)
      return recipient === undefined || act.value > 0n
        ? undefined
        : { orderId, recipient, currency: asCurrency(act.contract), amount: uintOf(amount) }
    }
    case "Other":
      return undefined
  }
}
