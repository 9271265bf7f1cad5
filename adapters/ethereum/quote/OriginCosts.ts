/**
 * The costs of the user's transactions, and whether they would succeed (issue: "simulated deposits when the balance
 * allows").
 *
 * When the user has the money, everything is simulated as it would be sent, approvals included, and a revert refuses
 * the quote. Otherwise the quote is still made, from estimates that need no balance.
 */
import { BaseError, ExecutionRevertedError, erc20Abi } from "viem"
import type { Hex, PublicClient } from "viem"
import { DepositRefused } from "../../../ports/chain/StepBuilder.ts"
import type { DepositIntent } from "../../../ports/chain/StepBuilder.ts"
import { readFees, withMargin } from "../pay/Fees.ts"
import { expectedL1Fee, l1FeeOf, NO_FEES } from "../pay/l1-data/L1Fee.ts"
import { EXECUTOR_BYTES, gasPerByte, SLOT_BYTES } from "../pay/StateGas.ts"
import { viemHex } from "../rpc/ViemHex.ts"
import { approveCall, depositCall, spenderOf } from "./DepositTransaction.ts"
import type { UserCall } from "./DepositTransaction.ts"

/** An approval that the deposit needs first. A zero amount resets an old one, for tokens that require it. */
interface Approval {
  readonly amount: bigint
  readonly gasLimit: bigint
}

/** The wallet's balance and the costs on the origin chain, read together. */
export interface OriginCosts {
  /** Smallest units of the deposited currency. */
  readonly userBalance: bigint
  /** In sending order. Empty when the allowance suffices. */
  readonly approvals: ReadonlyArray<Approval>
  /** Of the deposit itself. */
  readonly gasLimit: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  /** What all of them take besides gas, smallest units of the native currency (PRICE-28). */
  readonly l1Fee: bigint
}

interface Read {
  readonly intent: DepositIntent
  readonly client: PublicClient
  readonly account: Hex
}

/** A placeholder for estimates before the order exists. All bytes are set, so real calldata costs at most this. */
const ESTIMATE_ID = `0x${"ff".repeat(32)}` as const

/**
 * For a token's deposit that cannot be tried, because the money is missing or the node does not simulate. Enough for
 * any usual token.
 */
const USUAL_TOKEN_GAS = 150_000n
const USUAL_APPROVAL_GAS = 80_000n

/** Gas of the SwapDepositor around its swap: an executor, transfers there and back, the deposit. */
const AROUND_SWAP_GAS = 300_000n

/** Bytes of state that it makes (PRICE-29): an executor, its balance, and what it allows the router. */
const AROUND_SWAP_STATE = EXECUTOR_BYTES + 2n * SLOT_BYTES

/** Enough for the transaction that moves the money, when it was not tried. */
const usualGas = async ({ client, intent: { way } }: Read): Promise<bigint> => {
  if (way._tag === "Permit") return 0n
  if (way._tag === "SwapDeposit") {
    return withMargin(way.gas + AROUND_SWAP_GAS + AROUND_SWAP_STATE * (await gasPerByte(client)))
  }
  return way._tag === "Swap" ? withMargin(way.gas) : USUAL_TOKEN_GAS
}

/** The same for an approval, which makes an allowance. */
const usualApprovalGas = async ({ client }: Read): Promise<bigint> =>
  USUAL_APPROVAL_GAS + SLOT_BYTES * (await gasPerByte(client))

const isRevert = (error: unknown): boolean =>
  error instanceof BaseError && error.walk((cause) => cause instanceof ExecutionRevertedError) !== null

/** Gas of one call. Undefined when the chain would revert it. */
const gasOf = async ({ account, client }: Read, call: UserCall, balance?: bigint): Promise<bigint | undefined> => {
  try {
    const stateOverride = balance === undefined ? undefined : [{ address: account, balance }]
    return withMargin(
      await client.estimateGas({ account, ...call, ...(stateOverride === undefined ? {} : { stateOverride }) })
    )
  } catch (error) {
    if (isRevert(error)) return undefined
    throw error
  }
}

const refused = ({ account }: Read, { data, to, value }: UserCall, block: bigint) =>
  new DepositRefused({ call: { from: account, to, data, value: value.toString() }, block })

interface Simulated {
  readonly succeeded: boolean
  readonly gas: bigint
}

/** A block reports the gas after refunds of up to a fifth (EIP-3529). The limit has to cover the gas before refunds. */
const MOST_REFUNDED = { of: 5n, left: 4n } as const

/** The calls one after the other. Undefined when the node does not support it (eth_simulateV1). */
const simulate = async (
  { account, client }: Read,
  calls: ReadonlyArray<UserCall>
): Promise<ReadonlyArray<Simulated> | undefined> => {
  try {
    const [block] = await client.simulateBlocks({ blocks: [{ calls: calls.map((call) => ({ account, ...call })) }] })
    return block?.calls.map(({ gasUsed, status }) => ({
      succeeded: status === "success",
      gas: withMargin((gasUsed * MOST_REFUNDED.of) / MOST_REFUNDED.left)
    }))
  } catch (error) {
    if (error instanceof BaseError) return undefined
    throw error
  }
}

/** Tokens like USDT refuse to change an allowance that is not zero. Found by trying, not from a list. */
const needsReset = async (read: Read, allowance: bigint): Promise<boolean> =>
  allowance > 0n && (await gasOf(read, approveCall(read.intent, read.intent.amount))) === undefined

const approvalGas = async (read: Read, amount: bigint): Promise<bigint> =>
  (await gasOf(read, approveCall(read.intent, amount))) ?? usualApprovalGas(read)

interface Priced {
  readonly approvals: ReadonlyArray<Approval>
  readonly gasLimit: bigint
}

/** With the money there: tries approvals and deposit together, as the user would send them. */
const tryAll = async (read: Read, amounts: ReadonlyArray<bigint>, height: bigint): Promise<Priced | DepositRefused> => {
  const deposit = depositCall(read.intent, ESTIMATE_ID)
  const calls = [
    ...amounts.map((amount) => approveCall(read.intent, amount)),
    ...(deposit === undefined ? [] : [deposit])
  ]
  const results = await simulate(read, calls)
  if (results === undefined) return withoutTrying(read, amounts)
  const failed = calls.find((_, index) => results[index]?.succeeded === false)
  if (failed !== undefined) return refused(read, failed, height)
  const gasAt = async (index: number, usual: (read: Read) => Promise<bigint>) => results[index]?.gas ?? usual(read)
  return {
    approvals: await Promise.all(
      amounts.map(async (amount, index) => ({ amount, gasLimit: await gasAt(index, usualApprovalGas) }))
    ),
    gasLimit: deposit === undefined ? 0n : await gasAt(amounts.length, usualGas)
  }
}

const withoutTrying = async (read: Read, amounts: ReadonlyArray<bigint>): Promise<Priced> => ({
  approvals: await Promise.all(amounts.map(async (amount) => ({ amount, gasLimit: await approvalGas(read, amount) }))),
  gasLimit: await usualGas(read)
})

/** One transaction of a token without approvals. */
const single = async (read: Read, height: bigint, canPay: boolean): Promise<Priced | DepositRefused> => {
  const call = depositCall(read.intent, ESTIMATE_ID)
  // The user sends no transaction. The signature is tried when it is posted.
  if (call === undefined) return { approvals: [], gasLimit: 0n }
  if (!canPay) return { approvals: [], gasLimit: await usualGas(read) }
  const gas = await gasOf(read, call)
  return gas === undefined ? refused(read, call, height) : { approvals: [], gasLimit: gas }
}

/**
 * A native deposit costs the same from any balance: it is tried beside the other readings, and an empty wallet can ask
 * for a quote too. `fees` tell the block that a refusal names. Their failure is the caller's: a promise made of them here
 * would fail with nobody waiting for it, which ends the process.
 */
const nativeCosts = async (read: Read, fees: ReturnType<typeof readFees>): Promise<Priced | DepositRefused> => {
  const call = depositCall(read.intent, ESTIMATE_ID)
  if (call === undefined) return { approvals: [], gasLimit: 0n }
  const gas = await gasOf(read, call, read.intent.amount + 10n ** 24n)
  return gas === undefined ? refused(read, call, (await fees).height) : { approvals: [], gasLimit: gas }
}

const tokenCosts = async (
  read: Read,
  height: bigint,
  balance: bigint,
  allowance: bigint
): Promise<Priced | DepositRefused> => {
  const { amount } = read.intent
  const canPay = balance >= amount
  if (spenderOf(read.intent) === undefined || allowance >= amount) return single(read, height, canPay)
  const amounts = (await needsReset(read, allowance)) ? [0n, amount] : [amount]
  return canPay ? tryAll(read, amounts, height) : withoutTrying(read, amounts)
}

/** Of the transactions that the user sends: approvals, and the deposit. */
const readL1Fees = async ({ client, intent }: Read) => {
  const call = depositCall(intent, ESTIMATE_ID)
  const [approval, deposit] = intent.origin.l1DataFee === undefined ? [NO_FEES, NO_FEES] : await Promise.all([
    l1FeeOf(client, intent.origin, approveCall(intent, intent.amount)),
    call === undefined ? NO_FEES : l1FeeOf(client, intent.origin, call)
  ])
  return ({ approvals, gasLimit }: Priced) =>
    approvals.reduce((sum, each) => sum + expectedL1Fee(approval, each.gasLimit), expectedL1Fee(deposit, gasLimit))
}

const readNative = async (read: Read): Promise<OriginCosts | DepositRefused> => {
  const { account, client } = read
  const reading = readFees(client)
  const call = depositCall(read.intent, ESTIMATE_ID)
  const [{ maxFeePerGas, maxPriorityFeePerGas }, userBalance, l1Fee, priced] = await Promise.all([
    reading,
    client.getBalance({ address: account }),
    call === undefined ? NO_FEES : l1FeeOf(client, read.intent.origin, call),
    nativeCosts(read, reading)
  ])
  return priced instanceof DepositRefused
    ? priced
    : { userBalance, ...priced, maxFeePerGas, maxPriorityFeePerGas, l1Fee: expectedL1Fee(l1Fee, priced.gasLimit) }
}

/** Reads and simulates on one endpoint. A revert comes back as a value. */
export const readOriginCosts = async (
  client: PublicClient,
  intent: DepositIntent
): Promise<OriginCosts | DepositRefused> => {
  const { currency, origin, user } = intent
  const account = viemHex(user)
  const read = { client, intent, account }
  if (currency.isNative) return readNative(read)
  const token = { abi: erc20Abi, address: viemHex(currency.address) }
  const [{ height, maxFeePerGas, maxPriorityFeePerGas }, l1FeeFor, userBalance, allowance] = await Promise.all([
    readFees(client),
    readL1Fees(read),
    client.readContract({ ...token, functionName: "balanceOf", args: [account] }),
    client.readContract({
      ...token,
      functionName: "allowance",
      args: [account, viemHex(spenderOf(intent) ?? origin.depository)]
    })
  ])
  const priced = await tokenCosts(read, height, userBalance, allowance)
  if (priced instanceof DepositRefused) return priced
  return { userBalance, ...priced, maxFeePerGas, maxPriorityFeePerGas, l1Fee: l1FeeFor(priced) }
}
