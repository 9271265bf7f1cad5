/** A payment as stored, with everything that can be compared with its chain. */
import type { Address, CurrencyAddress } from "../chain/Address.ts"
import type { ChainId } from "../chain/ChainId.ts"
import type { Hex32 } from "../encoding/Hex.ts"
import type { TransactionId } from "../chain/TransactionId.ts"
import type { OrderId } from "../order/Order.ts"
import type { BlockRef } from "../evidence/BlockRef.ts"

export interface KeptPayment {
  readonly orderId: OrderId
  /**
   * As in `ports/Payments`: `fill`, `fallback`, `refund:<deposit>`, …; with `!<transaction>` appended once the payment
   * was set aside.
   */
  readonly leg: string
  /** The on-chain id of the deposit that the payment belongs to. */
  readonly deposit: Hex32
  readonly chainId: ChainId
  readonly account: Address
  readonly sequence: bigint
  readonly recipient: Address
  readonly currency: CurrencyAddress
  /** Smallest units of the currency. */
  readonly amount: bigint
  /** What its deposit had when it was signed (REFUND-8); absent where that is not known. */
  readonly deposited?: bigint
  /** The gas topup that goes with it, smallest units of the native currency; absent without one. */
  readonly topup?: bigint
  readonly transactionId: TransactionId
  /** `void`: set aside, because it can never be executed. */
  readonly state: "signed" | "sent" | "included" | "reverted" | "void"
  /** When it was first signed, milliseconds. */
  readonly signedAt: number
  readonly block: BlockRef | undefined
  /** Smallest units of the native currency; undefined while it is in no block. */
  readonly gasPaid: bigint | undefined
}
