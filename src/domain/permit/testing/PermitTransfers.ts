/** Transfers that are deposited by a signature, and deposits for them: complete ones, from the core's own quotes. */
import * as Schema from "effect/Schema"
import { ChainId } from "../../chain/ChainId.ts"
import { Hex32 } from "../../encoding/Hex.ts"
import { TransactionId } from "../../chain/TransactionId.ts"
import { Order, OrderId } from "../../order/Order.ts"
import { alpha, beta, evmAddress } from "../../quote/testing/Chains.ts"
import { answer, now } from "../../quote/testing/SignedQuotes.ts"
import { Quote } from "../../quote/wire/Quote.ts"
import type { Deposit } from "../../transfer/deposit/Deposit.ts"
import { makeRequestId } from "../../transfer/RequestId.ts"
import type { Transfer, TransferTerms } from "../../transfer/Transfer.ts"

export const [user, refundTo, stranger, forwarder] = [
  evmAddress("11"),
  evmAddress("22"),
  evmAddress("33"),
  evmAddress("f0")
]

/** A hundred dollars. */
export const AMOUNT = 100_000_000n

const ORIGIN = alpha.currencies[1]?.address ?? alpha.native.address
const DESTINATION = beta.currencies[1]?.address ?? beta.native.address

const quoted = answer({
  user,
  refundTo,
  originChainId: alpha.id,
  destinationChainId: beta.id,
  originCurrency: ORIGIN,
  destinationCurrency: DESTINATION,
  amount: AMOUNT.toString(),
  tradeType: "EXACT_INPUT",
  includeProtocolData: true
})

const Signed = Schema.Struct({
  protocol: Schema.Struct({ v2: Schema.Struct({ orderId: OrderId, orderData: Order, orderSignature: Schema.String }) })
})

const { orderData: order, orderId, orderSignature } = Schema.decodeUnknownSync(Signed)(quoted).protocol.v2

/** Quoted at `now`, with a permit for a day. */
export const transferOf = (terms: Partial<TransferTerms> = {}, changes: Partial<Transfer> = {}): Transfer => ({
  id: makeRequestId(now * 1000, new Uint8Array(24)),
  orderId,
  order,
  orderSignature,
  terms: {
    originChainId: alpha.id,
    originCurrency: ORIGIN,
    destinationChainId: beta.id,
    destinationCurrency: DESTINATION,
    user,
    recipient: user,
    refundTo,
    tradeType: "EXACT_INPUT",
    amountIn: AMOUNT,
    amountOut: order.output.payments[0]?.expectedAmount ?? 0n,
    minimumOut: order.output.payments[0]?.minimumAmount ?? 0n,
    permit: {
      kind: "permit2",
      domain: { name: "Permit2" },
      forwarder,
      verifier: evmAddress("f2"),
      deadline: now + 86_400
    },
    ...terms
  },
  quote: Schema.decodeUnknownSync(Quote)(quoted),
  quotedAt: now * 1000,
  status: "waiting",
  failReason: null,
  updatedAt: now * 1000,
  ...changes
})

/** A deposit by a stranger's transaction, of the whole quoted amount, at the time of the quote. */
export const depositOf = (changes: Partial<Deposit> = {}): Deposit => ({
  onchainId: Hex32.make(`0x${"1".repeat(64)}`),
  chainId: ChainId.make(alpha.id),
  transactionId: TransactionId.make(`0x${"2".repeat(64)}`),
  index: 0,
  block: { height: 1n, hash: "0x", time: now },
  depositId: orderId,
  depositor: user,
  sender: stranger,
  currency: ORIGIN,
  amount: AMOUNT,
  ...changes
})
