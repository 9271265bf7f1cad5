/**
 * Gas of a payment as the chain would carry it out now, or why it would not: what fails is named in the contract's
 * words.
 */
import {
  BaseError,
  decodeErrorResult,
  erc20Abi,
  ExecutionRevertedError,
  InsufficientFundsError,
  RpcRequestError
} from "viem"
import type { Hex, PublicClient } from "viem"
import { PaymentRefused } from "../../../ports/chain/Treasury.ts"
import { callsIn, holdingOf } from "../../../ports/chain/PaymentKinds.ts"
import type { Payment, SubmissionCall } from "../../../ports/chain/PaymentKinds.ts"
import type { FailedCall } from "../../../ports/chain/Treasury.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { abi as executorAbi } from "../contracts/artifacts/Executor.ts"
import { permitGasLimit } from "./PermitTransaction.ts"
import {
  AUTHORIZATION_GAS,
  callsCeiling,
  PLAIN_PAYMENT_GAS,
  readFees,
  TOPUP_GAS,
  VAULT_GAS,
  withMargin
} from "./Fees.ts"
import type { FeesPerGas } from "./Fees.ts"
import { movedBy, strictBody } from "./PaymentTransaction.ts"
import type { TransactionBody } from "./PaymentTransaction.ts"
import { viemHex } from "../rpc/ViemHex.ts"

/** "None" of a refusal by the chain itself: what else went wrong is the endpoint's. */
const refusalOf = (error: BaseError): PaymentRefused["reason"] | undefined => {
  if (error.walk((cause) => cause instanceof InsufficientFundsError) !== null) return "insufficient-funds"
  if (error.walk((cause) => cause instanceof ExecutionRevertedError) !== null) return "reverts"
  return undefined
}

const isHex = (value: unknown): value is Hex => typeof value === "string" && /^0x[0-9a-f]*$/i.test(value)

/** What a revert says: the data of the innermost answer that carries any. */
const revertData = (error: BaseError): Hex | undefined => {
  const found = error.walk((cause) => cause instanceof RpcRequestError && isHex(cause.data))
  return found instanceof RpcRequestError && isHex(found.data) ? found.data : undefined
}

/** Which of the calls the executor says has failed; undefined when something else has. */
const failedIndex = (data: Hex | undefined): number | undefined => {
  if (data === undefined) return undefined
  try {
    const { args, errorName } = decodeErrorResult({ abi: executorAbi, data })
    return errorName === "CallFailed" ? Number(args[0]) : undefined
  } catch {
    // No error of the executor's: viem throws on selectors that the ABI does not have.
    return undefined
  }
}

const callOf = (
  from: string,
  { data, to, value }: Pick<TransactionBody, "value"> & { readonly data: string; readonly to: string }
): FailedCall => ({ from, to, data, value: value.toString() })

const failedCall = (account: Hex, body: TransactionBody, payment: Payment, error: BaseError): FailedCall => {
  const index = failedIndex(revertData(error))
  const call = index === undefined ? undefined : callsIn(payment)?.list[index]
  return call === undefined ? callOf(account, body) : callOf(payment.chain.router ?? account, call)
}

/** What one deposit leaves: its mint, and what moves it to the solver. */
const settlesOne = ({ calls }: SubmissionCall): boolean => calls.length <= 2

/**
 * The most that the payment may take: calls are bounded by what the request names, and always by the chain's ceiling.
 * So is a sweep, whose token is a configured one but runs its own code: what it costs is weighed against what it
 * brings.
 */
const gasBound = (payment: Payment, { blockGasLimit }: FeesPerGas): bigint => {
  const ceiling = callsCeiling(blockGasLimit)
  switch (payment._tag) {
    case "Sweep":
      return ceiling
    // What is more than a quarter of a block goes alone, for as much as a block has: it is bounded by what oracles
    // sign.
    case "Submission":
      return settlesOne(payment.submission) ? blockGasLimit : ceiling
    // What the owner has paid for, and a contract that checks its signature may not exceed.
    case "Permit":
      return permitGasLimit(payment.permit.kind, payment.permit.gasOverhead)
    case "Refund":
    case "Excess":
    case "Payout":
      return PLAIN_PAYMENT_GAS
    case "Fill":
    case "Fallback": {
      const authorized = AUTHORIZATION_GAS * BigInt(payment.authorizations.length)
      if (holdingOf(payment) === "account") return PLAIN_PAYMENT_GAS + authorized
      const calls = callsIn(payment)
      if (calls === undefined) return TOPUP_GAS + authorized
      const { gas = ceiling } = calls
      return VAULT_GAS + authorized + (gas < ceiling ? gas : ceiling)
    }
  }
}

/** What a holding has of a currency. */
export const balanceOf = (client: PublicClient, holder: Hex, currency: Currency): Promise<bigint> =>
  currency.isNative
    ? client.getBalance({ address: holder })
    : client.readContract({
      abi: erc20Abi,
      address: viemHex(currency.address),
      functionName: "balanceOf",
      args: [holder]
    })

/**
 * Whether what the payment is made from holds it; native currency of the account is the node's to count, with the gas.
 */
const isHeld = async (
  client: PublicClient,
  account: Hex,
  body: TransactionBody,
  payment: Payment
): Promise<boolean> => {
  const holding = holdingOf(payment)
  if (holding === "account" && payment.currency.isNative) return true
  const holder = holding === "vault" ? body.to : account
  const held = await Promise.all(
    movedBy(payment).map(async ({ amount, currency }) => (await balanceOf(client, holder, currency)) >= amount)
  )
  return !held.includes(false)
}

const refusedBy = (error: unknown): BaseError => {
  if (error instanceof BaseError && refusalOf(error) !== undefined) return error
  throw error
}

const tryEstimate = (
  client: PublicClient,
  account: Hex,
  body: TransactionBody,
  environment: CallEnvironment | undefined
): Promise<bigint | BaseError> => client.estimateGas({ account, ...body, ...environment }).catch(refusedBy)

/**
 * What calls of strangers are tried with: a block that is not there yet, and the fees that the transaction will have.
 */
type CallEnvironment = Pick<FeesPerGas, "maxFeePerGas" | "maxPriorityFeePerGas"> & { readonly blockTag: "pending" }

const environmentOf = ({ maxFeePerGas, maxPriorityFeePerGas }: FeesPerGas): CallEnvironment => ({
  maxFeePerGas,
  maxPriorityFeePerGas,
  blockTag: "pending"
})

/**
 * Once more exactly as it will be signed. SECURITY: calls that look at the fee, the gas that is left or the block
 * behave here as in the block that will hold them, as far as anybody can know that block. What they can still tell
 * apart is paid for by the deposit.
 */
const tryCalls = (
  client: PublicClient,
  account: Hex,
  body: TransactionBody,
  environment: CallEnvironment,
  gas: bigint
): Promise<BaseError | undefined> =>
  client.call({ account, ...body, ...environment, gas }).then(() => undefined, refusedBy)

/**
 * Gas to give the payment, with room, for calls at least what the request names for them; and the fees it was found
 * with.
 */
export const estimatePayment = async (
  client: PublicClient,
  account: Hex,
  body: TransactionBody,
  payment: Payment
): Promise<{ readonly gas: bigint | PaymentRefused; readonly fees: FeesPerGas }> => {
  const reading = readFees(client)
  const calls = callsIn(payment)
  const [fees, estimated, held] = await Promise.all([
    reading,
    calls !== undefined
      ? reading.then((fees) => tryEstimate(client, account, body, environmentOf(fees)))
      : tryEstimate(client, account, strictBody(payment) ?? body, undefined),
    isHeld(client, account, body, payment)
  ])
  // Before what failed is read: a payment beyond the holding fails in many words.
  if (!held) return { fees, gas: new PaymentRefused({ reason: "insufficient-funds" }) }
  const bound = gasBound(payment, fees)
  const refused = (call: FailedCall) => new PaymentRefused({ reason: "reverts", failed: { call, block: fees.height } })
  const refusedFor = (error: BaseError) =>
    refusalOf(error) === "reverts"
      ? refused(failedCall(account, body, payment, error))
      : new PaymentRefused({ reason: "insufficient-funds" })
  if (typeof estimated !== "bigint") return { fees, gas: refusedFor(estimated) }
  const gas = withMargin(estimated)
  const tooMuch = gas > bound || (calls?.gas ?? 0n) > callsCeiling(fees.blockGasLimit)
  if (tooMuch) return { fees, gas: refused(callOf(account, body)) }
  const limit = calls?.gas === undefined ? gas : bound
  const failed = calls === undefined ? undefined : await tryCalls(client, account, body, environmentOf(fees), limit)
  return { fees, gas: failed === undefined ? limit : refusedFor(failed) }
}
