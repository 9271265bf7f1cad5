/**
 * Which payments a transaction of an EVM-like chain makes, for which order, and which calls a router made (EVM-5).
 *
 * The last 32 bytes of the input name the order. Native currency counts as a direct payment when the input also starts
 * with this id, as in a plain payment. Otherwise the router's events count. This is evidence; the judges decide what it
 * proves.
 *
 * SECURITY: only events of the configured router are kept. Any contract can emit such events, thousands of them with
 * large data, in the transaction of another order. SECURITY: what the depository pays out is its owner's own money, and
 * anybody may trigger that with any id appended to the call. So tokens that leave the depository are not a payment.
 */
import { asCurrency } from "../../AddressCodec.ts"
import { ethereumAddresses } from "../EthereumAddresses.ts"
import type { Hex32 } from "../../../encoding/Hex.ts"
import type { PaymentEvidence, RouterCallEvidence } from "../../../evidence/TransactionEvidence.ts"
import { callExecutedOf, nativePaymentOf, transferOf } from "./Events.ts"
import type { EvmCall, OwnContracts } from "./EvmTransaction.ts"
import { bytes32Of } from "./Words.ts"

const DIGITS = 64

/** The id that the input names: its last 32 bytes, if it is that long. */
export const orderIdsOf = ({ input }: Pick<EvmCall, "input">): ReadonlyArray<Hex32> =>
  input.length < 2 + DIGITS ? [] : [bytes32Of(input.slice(-DIGITS))]

const directNative = (transaction: EvmCall): ReadonlyArray<PaymentEvidence> => {
  const { input, to, value } = transaction
  const [id] = orderIdsOf(transaction)
  return to === undefined || id === undefined || value === 0n || !input.startsWith(id)
    ? []
    : [{ recipient: to, currency: ethereumAddresses.nativeCurrency, amount: value, through: { _tag: "Direct" } }]
}

/** The native payment of the transaction itself first, then the others in the order of the logs. */
export const paymentsOf = (
  transaction: EvmCall,
  { depository, router }: OwnContracts
): ReadonlyArray<PaymentEvidence> => [
  ...directNative(transaction),
  ...transaction.logs.flatMap((log): ReadonlyArray<PaymentEvidence> => {
    const transfer = transferOf(log)
    if (transfer !== undefined) {
      return transfer.from === depository
        ? []
        : [{
          recipient: transfer.to,
          currency: asCurrency(log.address),
          amount: transfer.amount,
          through: { _tag: "Direct" }
        }]
    }
    const paid = log.address === router ? nativePaymentOf(log) : undefined
    return paid === undefined ? [] : [{
      recipient: paid.to,
      currency: ethereumAddresses.nativeCurrency,
      amount: paid.amount,
      through: { _tag: "Router", router: log.address }
    }]
  })
]

/** Calls reported by the router. The judges count them for orders that name this router. */
export const routerCallsOf = (
  { logs }: EvmCall,
  { router }: Pick<OwnContracts, "router">
): ReadonlyArray<RouterCallEvidence> =>
  logs.flatMap((log) => {
    const call = log.address === router ? callExecutedOf(log) : undefined
    return call === undefined ? [] : [{ router: log.address, ...call }]
  })
