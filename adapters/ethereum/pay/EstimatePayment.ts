/**
 * The gas that a payment would take on the chain now, or why it would fail, with the contract's name for the failure.
 */
import { BaseError, decodeErrorResult, erc20Abi, RpcRequestError, size } from "viem"
import type { Hex, PublicClient } from "viem"
import { PaymentRefused } from "../../../ports/chain/Treasury.ts"
import { callsIn, holdingOf } from "../../../ports/chain/PaymentKinds.ts"
import type { Payment, SubmissionCall } from "../../../ports/chain/PaymentKinds.ts"
import type { FailedCall } from "../../../ports/chain/Treasury.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { minOf } from "../../../src/domain/money/Rounding.ts"
import { abi as executorAbi } from "../contracts/artifacts/Executor.ts"
import { mostPermitBytes, permitGasLimit } from "./PermitTransaction.ts"
import {
  AUTHORIZATION_GAS,
  callsCeiling,
  PLAIN_PAYMENT_GAS,
  readFees,
  TOPUP_GAS,
  TRANSACTION_GAS,
  VAULT_GAS,
  withMargin
} from "./Fees.ts"
import type { FeesPerGas } from "./Fees.ts"
import { expectedL1Fee, l1FeeOf, mostL1Fee } from "./l1-data/L1Fee.ts"
import type { FeesBesideGas } from "./l1-data/L1Fee.ts"
import { l1Units } from "./l1-data/L1Units.ts"
import { trialRefusal } from "./NodeRefusals.ts"
import { stateGas } from "./StateGas.ts"
import { movedBy, strictBody } from "./PaymentTransaction.ts"
import type { TransactionBody } from "./PaymentTransaction.ts"
import { viemHex } from "../rpc/ViemHex.ts"

const isHex = (value: unknown): value is Hex => typeof value === "string" && /^0x[0-9a-f]*$/i.test(value)

/** The revert data: those of the innermost answer that carries any. */
const revertData = (error: BaseError): Hex | undefined => {
  const found = error.walk((cause) => cause instanceof RpcRequestError && isHex(cause.data))
  return found instanceof RpcRequestError && isHex(found.data) ? found.data : undefined
}

/** The call that failed, according to the executor. Undefined when something else failed. */
const failedIndex = (data: Hex | undefined): number | undefined => {
  if (data === undefined) return undefined
  try {
    const { args, errorName } = decodeErrorResult({ abi: executorAbi, data })
    return errorName === "CallFailed" ? Number(args[0]) : undefined
  } catch {
    // Not an error of the executor: viem throws on selectors that the ABI lacks.
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

/** True for the executions of one deposit: its mint, and the one that moves it to the solver. */
const settlesOne = ({ calls }: SubmissionCall): boolean => calls.length <= 2

/**
 * The most gas that the payment may take. Calls are bounded by the request's allowance, and always by the chain's
 * ceiling. So is a sweep: its token is a configured one, but runs its own code. The cost of a sweep is weighed against
 * what it brings.
 */
const boundOf = (payment: Payment, { blockGasLimit }: FeesPerGas): bigint => {
  const ceiling = callsCeiling(blockGasLimit)
  switch (payment._tag) {
    case "Sweep":
      return ceiling
    // Executions that need more than a quarter of a block go alone, with all that a transaction may offer. The oracles' signatures
    // bound them.
    case "Submission":
      return settlesOne(payment.submission) ? blockGasLimit : ceiling
    // The gas that the owner has paid for. A contract that checks its own signatures may not exceed it.
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

/** Asked beside the estimate where it is part of every such payment: PRICE-26 compares a payment with its trial without it. */
const makesState = (payment: Payment, { authorizationList }: TransactionBody): boolean =>
  holdingOf(payment) === "vault" || authorizationList !== undefined

/**
 * The same with what no code of strangers decides: what the data takes on L1 in units of gas (PRICE-27), and the state that
 * the payment itself makes (PRICE-29). Asked where the payment may be honest and above its bound, and where the bound
 * becomes the limit of calls.
 */
const gasBound = async (
  client: PublicClient,
  account: Hex,
  body: TransactionBody,
  payment: Payment,
  { fees, gas, made }: { readonly gas: bigint; readonly fees: FeesPerGas; readonly made: bigint | undefined }
): Promise<{ readonly bound: bigint; readonly state: bigint }> => {
  const bound = boundOf(payment, fees)
  const isAsked = gas > bound || callsIn(payment)?.gas !== undefined
  const [units, state] = await Promise.all([
    isAsked ? l1Units(client, account, payment.chain, body) : 0n,
    made ?? (isAsked ? stateGas(client, account, payment, body) : 0n)
  ])
  return { bound: minOf(bound + units + state, TRANSACTION_GAS), state }
}

/**
 * A contract's signature has any length, and its owner has paid only for a usual one (PRICE-28). Where data takes nothing
 * on L1 the gas bounds it.
 */
const isTooLong = (payment: Payment, { data }: TransactionBody): boolean =>
  payment._tag === "Permit" && payment.chain.l1DataFee !== undefined &&
  size(data) > mostPermitBytes(payment.permit.gasOverhead)

/** A holding's balance of a currency. */
export const balanceOf = (client: PublicClient, holder: Hex, currency: Currency): Promise<bigint> =>
  currency.isNative
    ? client.getBalance({ address: holder })
    : client.readContract({
      abi: erc20Abi,
      address: viemHex(currency.address),
      functionName: "balanceOf",
      args: [holder]
    })

/** Whether the holding has enough. The account's native currency is checked by the node, together with the gas. */
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
  if (error instanceof BaseError && trialRefusal(error) !== undefined) return error
  throw error
}

const tryEstimate = (
  client: PublicClient,
  account: Hex,
  body: TransactionBody,
  environment: CallEnvironment | undefined
): Promise<bigint | BaseError> => client.estimateGas({ account, ...body, ...environment }).catch(refusedBy)

/** The environment in which strangers' calls are tried: the next block, with the fees of the real transaction. */
type CallEnvironment = Pick<FeesPerGas, "maxFeePerGas" | "maxPriorityFeePerGas"> & { readonly blockTag: "pending" }

const environmentOf = ({ maxFeePerGas, maxPriorityFeePerGas }: FeesPerGas): CallEnvironment => ({
  maxFeePerGas,
  maxPriorityFeePerGas,
  blockTag: "pending"
})

/**
 * Tries the payment once more exactly as it will be signed. SECURITY: calls that look at the fee, the remaining gas or
 * the block behave here as in the real block, as far as that block can be predicted. The deposit pays for differences
 * that they still detect.
 */
const tryCalls = (
  client: PublicClient,
  account: Hex,
  body: TransactionBody,
  environment: CallEnvironment,
  gas: bigint
): Promise<BaseError | undefined> =>
  client.call({ account, ...body, ...environment, gas }).then(() => undefined, refusedBy)

/** `gas`: what to give the payment, with a margin; for calls at least the request's allowance. */
export interface Estimated {
  readonly gas: bigint | PaymentRefused
  /** The fees that the estimate used. */
  readonly fees: FeesPerGas
  /** What it takes now besides gas (PRICE-28). */
  readonly l1Fee: FeesBesideGas
  /** Of the gas, what is for state that the payment itself makes (PRICE-29). */
  readonly state: bigint
}

/** What a payment that is not refused takes. */
export interface Taken {
  readonly gas: bigint
  readonly fees: FeesPerGas
  readonly l1Fee: FeesBesideGas
}

/** The cost at the fee that it will probably pay. */
export const expectedCost = ({ fees, gas, l1Fee }: Taken): bigint =>
  gas * fees.expectedFeePerGas + expectedL1Fee(l1Fee, gas)

/** The most that it can cost if it is signed now. */
export const mostCost = ({ fees, gas, l1Fee }: Taken): bigint => gas * fees.maxFeePerGas + mostL1Fee(l1Fee, gas)

export const estimatePayment = async (
  client: PublicClient,
  account: Hex,
  body: TransactionBody,
  payment: Payment
): Promise<Estimated> => {
  const reading = readFees(client)
  const calls = callsIn(payment)
  const [fees, l1Fee, estimated, held, made] = await Promise.all([
    reading,
    l1FeeOf(client, payment.chain, body),
    calls !== undefined
      ? reading.then((fees) => tryEstimate(client, account, body, environmentOf(fees)))
      : tryEstimate(client, account, strictBody(payment) ?? body, undefined),
    isHeld(client, account, body, payment),
    makesState(payment, body) ? stateGas(client, account, payment, body) : undefined
  ])
  const taken = { fees, l1Fee, state: 0n }
  // Checked before the failure is interpreted: a payment beyond the holding fails with many different messages.
  if (!held) return { ...taken, gas: new PaymentRefused({ reason: "insufficient-funds" }) }
  const refused = (call: FailedCall) => new PaymentRefused({ reason: "reverts", failed: { call, block: fees.height } })
  const refusedFor = (error: BaseError) =>
    trialRefusal(error) === "reverts"
      ? refused(failedCall(account, body, payment, error))
      : new PaymentRefused({ reason: "insufficient-funds" })
  if (typeof estimated !== "bigint") return { ...taken, gas: refusedFor(estimated) }
  const gas = withMargin(estimated)
  const { bound, state } = await gasBound(client, account, body, payment, { gas, fees, made })
  const tooMuch = gas > bound || (calls?.gas ?? 0n) > callsCeiling(fees.blockGasLimit) || isTooLong(payment, body)
  if (tooMuch) return { ...taken, gas: refused(callOf(account, body)) }
  const limit = calls?.gas === undefined ? gas : bound
  const failed = calls === undefined ? undefined : await tryCalls(client, account, body, environmentOf(fees), limit)
  return { ...taken, state, gas: failed === undefined ? limit : refusedFor(failed) }
}
