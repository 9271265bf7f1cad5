/**
 * Gas that a chain takes for new state since EIP-8037: so much for each byte of an account, a slot or code that is made. It
 * is part of estimates, gas limits and receipts, as any gas. (PRICE-29)
 *
 * Measured as what a store into an empty slot takes, by init code of ours that nobody deploys. A chain without the fork
 * takes 22,100 for it, so the price of a byte is zero there, and every bound and price is what it was before the fork.
 *
 * SECURITY: only state that a payment makes itself raises its bound: nobody else's code may take more for it.
 */
import { BaseError, erc20Abi, hexToBigInt, LimitExceededRpcError, RpcRequestError, size } from "viem"
import type { Hex, PublicClient } from "viem"
import { callsIn, holdingOf, topupIn } from "../../../ports/chain/PaymentKinds.ts"
import type { FillCalls, Payment } from "../../../ports/chain/PaymentKinds.ts"
import { divCeil, minOf } from "../../../src/domain/money/Rounding.ts"
import { viemHex } from "../rpc/ViemHex.ts"
import { withMargin } from "./Fees.ts"
import { unitsOfData } from "./l1-data/L1Units.ts"
import type { TransactionBody } from "./PaymentTransaction.ts"
import { PERMIT_STATE } from "./PermitTransaction.ts"

/** Bytes of state that the chain counts for each of these. */
export const ACCOUNT_BYTES = 120n
export const SLOT_BYTES = 64n

/** A new executor of the router: an account with the code of a clone. */
export const EXECUTOR_BYTES = ACCOUNT_BYTES + 45n

/** What a fill that swaps leaves: the vault's note that it has paid, an executor, and the output of a first holder. */
export const SWAPPED_FILL_BYTES = EXECUTOR_BYTES + 2n * SLOT_BYTES

/** Returns how much gas lies between its two questions: a store of one into its own empty slot. */
export const STORING: Hex = "0x5a60016000555a900360005260206000f3"

/** Besides the store: two PUSH1, and the second question. */
const AROUND_STORE = 8n

/** Below 2^24, beyond which gas goes into a reservoir that the code does not see. */
const STORING_GAS = 1_000_000n

/** A store into an empty slot on a chain without the fork. */
const SLOT_GAS = 22_100n

/** What it takes besides the state with the fork (EIP-8038). */
const STORE_GAS = 12_100n

/** SECURITY: twice what the fork takes. A node that lies makes a payment no dearer than that. */
const MOST_PER_BYTE = 3_060n

/** Gas for each byte of new state where a store into an empty slot takes this much. */
export const perByteOf = (store: bigint): bigint =>
  store <= SLOT_GAS ? 0n : minOf(divCeil(store - STORE_GAS, SLOT_BYTES), MOST_PER_BYTE)

/** The node has refused the call itself. A node that is busy has not. */
const isRefused = (error: unknown): boolean =>
  error instanceof BaseError &&
  error.walk((cause) => cause instanceof RpcRequestError && cause.code !== LimitExceededRpcError.code) !== null

/** Gas for each byte of new state now. Zero where nodes run no such call: such a chain has no such price. */
export const gasPerByte = async (client: PublicClient): Promise<bigint> => {
  try {
    const { data = "0x" } = await client.call({ data: STORING, gas: STORING_GAS })
    return size(data) === 32 ? perByteOf(hexToBigInt(data) - AROUND_STORE) : 0n
  } catch (error) {
    if (isRefused(error)) return 0n
    throw error
  }
}

/** The recipient's account, which may not exist, and its balance of a token, which may be its first. */
const received = async (client: PublicClient, payment: Payment): Promise<bigint> => {
  const { currency } = payment
  const recipient = viemHex(payment.recipient)
  const [code, held] = await Promise.all([
    currency.isNative || topupIn(payment) > 0n ? client.getCode({ address: recipient }) : "none",
    currency.isNative ? 1n : client.readContract({
      abi: erc20Abi,
      address: viemHex(currency.address),
      functionName: "balanceOf",
      args: [recipient]
    })
  ])
  return (code === undefined ? ACCOUNT_BYTES : 0n) + (held === 0n ? SLOT_BYTES : 0n)
}

/** An executor, its balance, and, where calls follow a swap, what it allows the router and the swap's output. */
const madeForCalls = ({ currency }: Payment, { leftover }: FillCalls): bigint =>
  EXECUTOR_BYTES + (currency.isNative ? 0n : SLOT_BYTES) + (leftover === undefined ? 0n : 2n * SLOT_BYTES)

/**
 * Bytes that the payment itself makes. An account without code counts as one that does not exist: nothing runs there. The
 * vault notes that it has paid.
 */
const bytesMade = async (client: PublicClient, payment: Payment): Promise<bigint> => {
  switch (payment._tag) {
    // Bounded by the block, not by what is usual.
    case "Sweep":
    case "Submission":
      return 0n
    case "Permit":
      return PERMIT_STATE[payment.permit.kind].most
    case "Refund":
    case "Excess":
    case "Payout":
      return received(client, payment)
    case "Fill":
    case "Fallback": {
      if (holdingOf(payment) === "account") return received(client, payment)
      const calls = callsIn(payment)
      return SLOT_BYTES + (calls === undefined ? await received(client, payment) : madeForCalls(payment, calls))
    }
  }
}

/** What a transaction takes for its delegations, above what it takes for them without the fork (EIP-7702). */
const ofDelegations = (client: PublicClient, account: Hex, { chain }: Payment, body: TransactionBody) =>
  // There it is among the units for data on L1 already.
  body.authorizationList === undefined || chain.l1DataFee === "arbitrum" ? 0n : unitsOfData(client, account, body)

/** Of the payment's gas, what it takes for state that it makes itself. With the margin that estimates have. */
export const stateGas = async (
  client: PublicClient,
  account: Hex,
  payment: Payment,
  body: TransactionBody
): Promise<bigint> => {
  const perByte = await gasPerByte(client)
  if (perByte === 0n) return 0n
  const [bytes, delegations] = await Promise.all([
    bytesMade(client, payment),
    ofDelegations(client, account, payment, body)
  ])
  return withMargin(bytes * perByte) + delegations
}
