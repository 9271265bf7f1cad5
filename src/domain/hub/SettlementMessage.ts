/**
 * The ids of SolverFill and SolverRefund: EIP-712 `hashStruct` without a domain (EXEC-2).
 *
 * The order is hashed again, so a message cannot be about another order than the one that it contains. A transaction id
 * is parsed by the family of the chain that it must be on: the input's chain for an input, the output's for a fill, the
 * refund option's for a refund.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Hints } from "../families/Hints.ts"
import type { ChainNetwork } from "../chain/ChainNetwork.ts"
import type { InvalidAddress } from "../chain/Address.ts"
import type { ChainSlug } from "../chain/ChainId.ts"
import { type Hex, type Hex32, hex32FromDigest, hexToBytes } from "../encoding/Hex.ts"
import { hashWords, isInt256, keccak, keccakText, word } from "../encoding/StructHash.ts"
import { type InvalidTransactionId, transactionIdToBytes } from "../chain/TransactionId.ts"
import type { Order, OrderId } from "../order/Order.ts"
import { type FamilyOf, type InvalidOrder, orderHash } from "../order/OrderId.ts"
import { orderReferencedTypes, orderStructType } from "../order/OrderType.ts"

/** The message points beyond its order, or names an unknown chain. */
export class InvalidMessage extends Schema.TaggedError<InvalidMessage>()("InvalidMessage", {
  reason: Schema.String
}) {
  override get message(): string {
    return `invalid message: ${this.reason}`
  }
}

/** The deposit that paid an input of an order. */
export interface InputEntry {
  readonly transactionId: string
  readonly onchainId: Hex32
  readonly inputIndex: number
}

/** The transaction that refunded an input of an order. */
export interface RefundEntry {
  readonly transactionId: string
  readonly inputIndex: number
  readonly refundIndex: number
}

interface SettlementClaim {
  readonly order: Order
  readonly orderSignature: Hex
  readonly inputs: ReadonlyArray<InputEntry>
  /** Where to look for transactions. Not part of what is signed. */
  readonly hints?: Hints
}

/** The claim that an order was filled. */
export interface FillClaim extends SettlementClaim {
  readonly fill: { readonly transactionId: string }
}

/** The claim that an order was refunded. */
export interface RefundClaim extends SettlementClaim {
  readonly refunds: ReadonlyArray<RefundEntry>
}

/** The result in the message of a fill or refund. */
export interface SettlementResult {
  readonly orderId: OrderId
  /** 1: settled. */
  readonly status: number
  /** Signed, scaled by 1e18 (CLAIM-2). */
  readonly totalWeightedInputPaymentBpsDiff: bigint
}

/** The families of the order's chains, and the Bitcoin network of addresses. */
export interface SettlementContext {
  readonly familyOf: FamilyOf
  readonly network: ChainNetwork
}

type Failure = InvalidMessage | InvalidOrder | InvalidAddress | InvalidTransactionId

const resultType = "Result(bytes32 orderId,uint8 status,int256 totalWeightedInputPaymentBpsDiff)"
const inputEntryType = "InputEntry(bytes transactionId,bytes32 onchainId,uint32 inputIndex)"
const fillEntryType = "FillEntry(bytes transactionId)"
const refundEntryType = "RefundEntry(bytes transactionId,uint32 inputIndex,uint32 refundIndex)"
const fillDataType = "Data(Order order,bytes orderSignature,InputEntry[] inputs,FillEntry fill)"
const refundDataType = "Data(Order order,bytes orderSignature,InputEntry[] inputs,RefundEntry[] refunds)"

/** A struct's encoded type: its own, then the referenced types, sorted by name. */
const encodedType = (primary: string, referenced: ReadonlyArray<string>): string =>
  primary + referenced.toSorted((left, right) => left < right ? -1 : 1).join("")

const orderTypes = [orderStructType, ...orderReferencedTypes]
const fillTypes = [inputEntryType, fillEntryType, ...orderTypes]
const refundTypes = [inputEntryType, refundEntryType, ...orderTypes]

const resultTypeHash = keccakText(resultType)
const inputEntryTypeHash = keccakText(inputEntryType)
const fillEntryTypeHash = keccakText(fillEntryType)
const refundEntryTypeHash = keccakText(refundEntryType)
const fillDataTypeHash = keccakText(encodedType(fillDataType, fillTypes))
const refundDataTypeHash = keccakText(encodedType(refundDataType, refundTypes))
const fillTypeHash = keccakText(
  encodedType("SolverFill(Data data,Result result)", [fillDataType, resultType, ...fillTypes])
)
const refundTypeHash = keccakText(
  encodedType("SolverRefund(Data data,Result result)", [refundDataType, resultType, ...refundTypes])
)

const transactionOn = (
  context: SettlementContext,
  chain: ChainSlug | undefined,
  text: string
): Result.Result<Uint8Array, InvalidMessage | InvalidTransactionId> => {
  if (chain === undefined) return Result.fail(new InvalidMessage({ reason: "an entry points beyond the order" }))
  const family = context.familyOf(chain)
  return family === undefined
    ? Result.fail(new InvalidMessage({ reason: `unknown chain ${chain.slice(0, 64)}` }))
    : Result.map(transactionIdToBytes(family, text), keccak)
}

const inputHashes = (
  context: SettlementContext,
  claim: SettlementClaim
): Result.Result<Uint8Array, InvalidMessage | InvalidTransactionId> =>
  Result.gen(function*() {
    const words: Array<Uint8Array> = []
    for (const entry of claim.inputs) {
      const chain = claim.order.inputs[entry.inputIndex]?.payment.chainId
      const transaction = yield* transactionOn(context, chain, entry.transactionId)
      words.push(
        hashWords([inputEntryTypeHash, transaction, hexToBytes(entry.onchainId), word(BigInt(entry.inputIndex))])
      )
    }
    return hashWords(words)
  })

const refundHashes = (
  context: SettlementContext,
  claim: RefundClaim
): Result.Result<Uint8Array, InvalidMessage | InvalidTransactionId> =>
  Result.gen(function*() {
    const words: Array<Uint8Array> = []
    for (const entry of claim.refunds) {
      const chain = claim.order.inputs[entry.inputIndex]?.refunds[entry.refundIndex]?.chainId
      const transaction = yield* transactionOn(context, chain, entry.transactionId)
      words.push(
        hashWords([refundEntryTypeHash, transaction, word(BigInt(entry.inputIndex)), word(BigInt(entry.refundIndex))])
      )
    }
    return hashWords(words)
  })

const resultHash = (result: SettlementResult): Result.Result<Uint8Array, InvalidMessage> => {
  const { orderId, status, totalWeightedInputPaymentBpsDiff: diff } = result
  if (!Number.isInteger(status) || status < 0 || status > 255) {
    return Result.fail(new InvalidMessage({ reason: "status is no uint8" }))
  }
  return isInt256(diff)
    ? Result.succeed(hashWords([resultTypeHash, hexToBytes(orderId), word(BigInt(status)), word(diff)]))
    : Result.fail(new InvalidMessage({ reason: "totalWeightedInputPaymentBpsDiff is no int256" }))
}

/** The id of a SolverFill: the solver paid the order's output. */
export const fillMessageId = (
  context: SettlementContext,
  claim: FillClaim,
  result: SettlementResult
): Result.Result<Hex32, Failure> =>
  Result.gen(function*() {
    const order = yield* orderHash(claim.order, context.familyOf, context.network)
    const inputs = yield* inputHashes(context, claim)
    const transaction = yield* transactionOn(context, claim.order.output.chainId, claim.fill.transactionId)
    const signature = keccak(hexToBytes(claim.orderSignature))
    const fill = hashWords([fillEntryTypeHash, transaction])
    const data = hashWords([fillDataTypeHash, order, signature, inputs, fill])
    return hex32FromDigest(hashWords([fillTypeHash, data, yield* resultHash(result)]))
  })

/** The id of a SolverRefund: the solver refunded the order's inputs. */
export const refundMessageId = (
  context: SettlementContext,
  claim: RefundClaim,
  result: SettlementResult
): Result.Result<Hex32, Failure> =>
  Result.gen(function*() {
    const order = yield* orderHash(claim.order, context.familyOf, context.network)
    const inputs = yield* inputHashes(context, claim)
    const refunds = yield* refundHashes(context, claim)
    const signature = keccak(hexToBytes(claim.orderSignature))
    const data = hashWords([refundDataTypeHash, order, signature, inputs, refunds])
    return hex32FromDigest(hashWords([refundTypeHash, data, yield* resultHash(result)]))
  })
