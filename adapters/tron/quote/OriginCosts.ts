/**
 * What the user's transactions cost on a Tron chain, and whether they would succeed (TRON-4, TRON-5).
 *
 * A node tries one call at a time, on the newest state. So a deposit that needs an approval first is priced by the
 * transfer that it makes. Where the money is not there, usual costs count, and the quote is still made.
 */
import { Effect, Result } from "effect"
import { DepositRefused, DepositUnfit } from "../../../ports/chain/StepBuilder.ts"
import type { DepositIntent } from "../../../ports/chain/StepBuilder.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { Hex } from "../../../src/domain/encoding/Hex.ts"
import { ethereumAddresses } from "../../../src/domain/families/ethereum/EthereumAddresses.ts"
import { callCost, energyWithRoom, transferCost } from "../../../src/domain/families/tron/cost/TronCosts.ts"
import type { TronPrices } from "../../../src/domain/families/tron/cost/TronCosts.ts"
import { approvalData, depositData, sendData } from "../../../src/domain/families/tron/steps/StepData.ts"
import { accountOfTron, tronOfAccount } from "../../../src/domain/families/tron/TronAddresses.ts"
import { writeRawData } from "../../../src/domain/families/tron/transaction/RawData.ts"
import type { RawData } from "../../../src/domain/families/tron/transaction/RawData.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import type { TronCallData, TronTransferData } from "../../../src/domain/families/tron/TronTransactionData.ts"
import { newest } from "../observe/ReadPlace.ts"
import type { TronFault } from "../rpc/TronRpc.ts"
import type { TronNode } from "../rpc/TronNode.ts"
import { readAccount, readNumber, tryCall } from "./TryCall.ts"

/** The user's balance and the costs on the origin chain, read together. */
export interface OriginCosts {
  /** Smallest units of the deposited currency. */
  readonly userBalance: bigint
  /** What the depository is allowed to take, in sending order. Empty when the allowance suffices. */
  readonly approvals: ReadonlyArray<bigint>
  /** Sun, for all transactions. */
  readonly cost: bigint
}

/** No user may deposit like this, or the chain would not execute it. */
type Refusal = DepositRefused | DepositUnfit

/** A placeholder, for costs before the order exists. Every id has the same size. */
export const ANY_ID = OrderId.make(`0x${"ff".repeat(32)}`)

/**
 * Energy where nothing can be tried. Enough for any usual token, also for one of which the chain asks more because it is
 * called often. 30 TRX, which public wallets offer, pay for more at the price of 2025.
 */
const usual = { nativeDeposit: 20_000n, approval: 100_000n, tokenDeposit: 200_000n, tokenTransfer: 140_000n } as const

/** Energy of a token's deposit besides the transfer: the allowance, two balances, the event. */
const AROUND_TRANSFER = 60_000n

type StepData = TronCallData | TronTransferData

const accountIn = (nodeForm: string): Address => Result.getOrThrow(ethereumAddresses.parse(`0x${nodeForm.slice(2)}`))

const actOf = (data: StepData): RawData["act"] =>
  data.type === "TransferContract"
    ? {
      _tag: "Transfer",
      owner: accountIn(data.parameter.owner_address),
      to: accountIn(data.parameter.to_address),
      amount: BigInt(data.parameter.amount)
    }
    : {
      _tag: "Trigger",
      owner: accountIn(data.parameter.owner_address),
      contract: accountIn(data.parameter.contract_address),
      value: BigInt(data.parameter.call_value),
      input: Hex.make(`0x${data.parameter.data}`)
    }

/** A time in milliseconds of any year until 2109 has this size. */
const TIME = 2 ** 41

/** As a wallet writes it, at most. A memo may be the id's text. */
const bytesOf = (data: StepData, { mostFeeLimit }: TronPrices): number =>
  writeRawData({
    act: actOf(data),
    memo: new Uint8Array(data.type === "TransferContract" ? data.memo?.length ?? 0 : 0),
    reference: { height: 0xffffn, hash: "ff".repeat(32) },
    expiration: TIME,
    timestamp: TIME,
    feeLimit: data.type === "TransferContract" ? 0n : mostFeeLimit
  }).length

const costOf = (prices: TronPrices, data: TronCallData, energy: bigint): bigint =>
  callCost(prices, energy, bytesOf(data, prices))

interface Reading {
  readonly node: TronNode
  readonly deadline: number
  readonly prices: TronPrices
}

/** Energy that a call takes. `otherwise`: where it cannot be tried. */
const energyOf = Effect.fnUntraced(
  function*(
    { deadline, node }: Reading,
    data: TronCallData,
    otherwise: bigint
  ): Effect.fn.Return<bigint | DepositRefused, TronFault> {
    const trial = yield* tryCall(node, data.parameter, deadline)
    if (trial._tag === "NotTried") return otherwise
    if (trial._tag === "Succeeded") return energyWithRoom(trial.energy)
    const { height } = yield* newest(node, deadline)
    const { call_value, contract_address, data: digits, owner_address } = data.parameter
    return new DepositRefused({
      call: { from: owner_address, to: contract_address, data: digits, value: `${call_value}` },
      block: height
    })
  }
)

/** One call without an approval before it. */
const singleCost = Effect.fnUntraced(
  function*(
    reading: Reading,
    data: TronCallData,
    canPay: boolean,
    otherwise: bigint
  ): Effect.fn.Return<bigint | DepositRefused, TronFault> {
    const energy = canPay ? yield* energyOf(reading, data, otherwise) : otherwise
    return energy instanceof DepositRefused ? energy : costOf(reading.prices, data, energy)
  }
)

/** The parts were resolved as Tron accounts, and the amount was checked. */
const made = <A, E>(data: Result.Result<A, E>): A =>
  Result.getOrThrowWith(data, () => new Error("no step of a Tron chain: it was to be refused before"))

/** Tokens like USDT refuse to change an allowance that is not zero. Found by trying, not from a list. */
const approvalsOf = Effect.fnUntraced(
  function*(
    { deadline, node }: Reading,
    intent: DepositIntent,
    allowance: bigint
  ): Effect.fn.Return<ReadonlyArray<bigint>, TronFault> {
    const { amount, origin } = intent
    if (allowance >= amount) return []
    if (allowance === 0n) return [amount]
    const trial = yield* tryCall(node, made(approvalData(intent, origin, amount)).parameter, deadline)
    return trial._tag === "Reverted" ? [0n, amount] : [amount]
  }
)

/** With the money there, the transfer that the deposit makes is tried, so that a token that refuses it refuses the quote. */
const energyAfterApproval = Effect.fnUntraced(
  function*(
    reading: Reading,
    intent: DepositIntent,
    canPay: boolean
  ): Effect.fn.Return<bigint | DepositRefused, TronFault> {
    if (!canPay) return usual.tokenDeposit
    const transfer = made(sendData(intent, intent.origin.depository, ANY_ID))
    if (transfer.type === "TransferContract") return usual.tokenDeposit
    const energy = yield* energyOf(reading, transfer, usual.tokenDeposit)
    return energy instanceof DepositRefused ? energy : energy + AROUND_TRANSFER
  }
)

const approvalCost = Effect.fnUntraced(
  function*({ deadline, node, prices }: Reading, intent: DepositIntent, units: bigint): Effect.fn.Return<
    bigint,
    TronFault
  > {
    const approval = made(approvalData(intent, intent.origin, units))
    const trial = yield* tryCall(node, approval.parameter, deadline)
    return costOf(prices, approval, trial._tag === "Succeeded" ? energyWithRoom(trial.energy) : usual.approval)
  }
)

const tokenDeposit = Effect.fnUntraced(
  function*(
    reading: Reading,
    intent: DepositIntent,
    { allowance, balance }: { readonly allowance: bigint; readonly balance: bigint }
  ): Effect.fn.Return<OriginCosts | Refusal, TronFault> {
    const { prices } = reading
    const canPay = balance >= intent.amount
    const approvals = yield* approvalsOf(reading, intent, allowance)
    const deposit = made(depositData(intent, intent.origin, ANY_ID))
    if (approvals.length === 0) {
      const cost = yield* singleCost(reading, deposit, canPay, usual.tokenDeposit)
      return cost instanceof DepositRefused ? cost : { userBalance: balance, approvals, cost }
    }
    const [energy, approving] = yield* Effect.all([
      energyAfterApproval(reading, intent, canPay),
      Effect.forEach(approvals, (units) => approvalCost(reading, intent, units), { concurrency: "unbounded" })
    ], { concurrency: "unbounded" })
    return energy instanceof DepositRefused ? energy : {
      userBalance: balance,
      approvals,
      cost: approving.reduce((sum, each) => sum + each, costOf(prices, deposit, energy))
    }
  }
)

/** TRX from account to account, with a memo. */
const nativeSend = Effect.fnUntraced(
  function*(
    { deadline, node, prices }: Reading,
    data: TronTransferData,
    recipient: Address
  ): Effect.fn.Return<bigint | DepositUnfit, TronFault> {
    const { exists, isContract } = yield* readAccount(node, recipient, deadline)
    return isContract
      ? new DepositUnfit({ reason: { _tag: "RecipientKeepsNothing" } })
      : transferCost(prices, bytesOf(data, prices), { createsRecipient: !exists, hasMemo: true })
  }
)

const digitsOf = (account: Address): string => made(accountOfTron(account)).slice(2)
const word = (account: Address): string => digitsOf(account).padStart(64, "0")

const readToken = ({ deadline, node }: Reading, { currency, origin, user }: DepositIntent) => {
  const token = `41${made(accountOfTron(currency.address)).slice(2)}`
  return Effect.all({
    balance: readNumber(node, token, `70a08231${word(user)}`, deadline),
    allowance: readNumber(node, token, `dd62ed3e${word(user)}${word(origin.depository)}`, deadline)
  }, { concurrency: 2 })
}

const nativeCosts = Effect.fnUntraced(
  function*(reading: Reading, intent: DepositIntent): Effect.fn.Return<OriginCosts | Refusal, TronFault> {
    const { amount, origin, user, way } = intent
    const { balance } = yield* readAccount(reading.node, user, reading.deadline)
    const data = made(
      way._tag === "Send" ? sendData(intent, way.recipient, ANY_ID) : depositData(intent, origin, ANY_ID)
    )
    const cost = data.type === "TransferContract"
      ? yield* nativeSend(reading, data, way._tag === "Send" ? way.recipient : origin.depository)
      : yield* singleCost(reading, data, balance >= amount, usual.nativeDeposit)
    return typeof cost === "bigint" ? { userBalance: balance, approvals: [], cost } : cost
  }
)

const tokenCosts = Effect.fnUntraced(
  function*(reading: Reading, intent: DepositIntent): Effect.fn.Return<OriginCosts | Refusal, TronFault> {
    const { amount, way } = intent
    const held = yield* readToken(reading, intent)
    if (way._tag !== "Send") return yield* tokenDeposit(reading, intent, held)
    const data = made(sendData(intent, way.recipient, ANY_ID))
    if (data.type === "TransferContract") return yield* Effect.die(new Error("a token is sent by a call"))
    const cost = yield* singleCost(reading, data, held.balance >= amount, usual.tokenTransfer)
    return typeof cost === "bigint" ? { userBalance: held.balance, approvals: [], cost } : cost
  }
)

/** In place of a deposit address, which is known only once the order exists: nobody has its key. */
const ANY_ADDRESS = made(tronOfAccount(`0x${"ff".repeat(20)}`))

/**
 * A plain transfer to a deposit address. It is never refused, because anybody can pay in the user's place; where the
 * user could not, usual costs count.
 */
const addressCosts = Effect.fnUntraced(
  function*(
    reading: Reading,
    intent: DepositIntent,
    at: Address | undefined
  ): Effect.fn.Return<OriginCosts, TronFault> {
    const { deadline, node, prices } = reading
    const { amount, currency, user } = intent
    const recipient = at ?? ANY_ADDRESS
    const data = made(sendData(intent, recipient, undefined))
    if (data.type === "TransferContract") {
      const [own, { exists }] = yield* Effect.all([
        readAccount(node, user, deadline),
        readAccount(node, recipient, deadline)
      ], { concurrency: 2 })
      const createsRecipient = at === undefined || !exists
      const cost = transferCost(prices, bytesOf(data, prices), { createsRecipient, hasMemo: false })
      return { userBalance: own.balance, approvals: [], cost }
    }
    const token = `41${made(accountOfTron(currency.address)).slice(2)}`
    const balance = yield* readNumber(node, token, `70a08231${word(user)}`, deadline)
    const tried = balance >= amount ? yield* energyOf(reading, data, usual.tokenTransfer) : usual.tokenTransfer
    const energy = tried instanceof DepositRefused ? usual.tokenTransfer : tried
    return { userBalance: balance, approvals: [], cost: costOf(prices, data, energy) }
  }
)

/** Reads and tries on one node. A refusal comes back as a value. */
export const readOriginCosts = (intent: DepositIntent, prices: TronPrices) =>
(
  node: TronNode,
  deadline: number
): Effect.Effect<OriginCosts | Refusal, TronFault> => {
  const reading = { node, deadline, prices }
  if (intent.way._tag === "Address") return addressCosts(reading, intent, intent.way.address)
  return intent.currency.isNative ? nativeCosts(reading, intent) : tokenCosts(reading, intent)
}
