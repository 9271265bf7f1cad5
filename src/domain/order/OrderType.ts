/**
 * The EIP-712 types of an order and their hashes (ORDER-3): pinned, and computed once.
 */
import { keccakText } from "../encoding/StructHash.ts"

const feeType = "Fee(string recipientChainId,bytes recipient,string currencyChainId,bytes currency,uint256 amount)"
const paymentType = "InputPayment(string chainId,bytes currency,uint256 amount,uint256 weight)"
const refundType =
  "InputRefund(string chainId,bytes recipient,bytes currency,uint256 minimumAmount,uint32 deadline,bytes extraData)"
const inputType = "Input(InputPayment payment,InputRefund[] refunds)"
const outputPaymentType = "OutputPayment(bytes recipient,bytes currency,uint256 minimumAmount,uint256 expectedAmount)"
const outputType = "Output(string chainId,OutputPayment[] payments,uint32 deadline,bytes[] calls,bytes extraData)"

/** The order's own type, without the types that it refers to. */
export const orderStructType =
  "Order(string version,string solverChainId,address solver,uint256 salt,Input[] inputs,Output output,Fee[] fees)"

/** The types that an order refers to, in the alphabetical order that EIP-712 requires. */
export const orderReferencedTypes: ReadonlyArray<string> = [
  feeType,
  inputType,
  paymentType,
  refundType,
  outputType,
  outputPaymentType
]

/** `0xee05e73d…`, pinned by a vector. */
export const orderTypeHash = keccakText(orderStructType + orderReferencedTypes.join(""))

/** keccak256 of the EIP-712 type `Fee` (ORDER-3). */
export const feeTypeHash = keccakText(feeType)
/** keccak256 of the EIP-712 type `InputPayment` (ORDER-3). */
export const paymentTypeHash = keccakText(paymentType)
/** keccak256 of the EIP-712 type `InputRefund` (ORDER-3). */
export const refundTypeHash = keccakText(refundType)
/** keccak256 of the EIP-712 type `Input` with the types that it contains (ORDER-3). */
export const inputTypeHash = keccakText(inputType + paymentType + refundType)
/** keccak256 of the EIP-712 type `OutputPayment` (ORDER-3). */
export const outputPaymentTypeHash = keccakText(outputPaymentType)
/** keccak256 of the EIP-712 type `Output` with the type that it contains (ORDER-3). */
export const outputTypeHash = keccakText(outputType + outputPaymentType)
