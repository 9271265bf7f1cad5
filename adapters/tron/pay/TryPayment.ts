/**
 * What a payment needs to be made now: its transaction, what that can cost, and whether the chain executes it. One node
 * tells all of it.
 *
 * SECURITY: nodes see only unsigned calls.
 */
import { Effect, Result } from "effect"
import { PaymentRefused } from "../../../ports/chain/Treasury.ts"
import type { Payment } from "../../../ports/chain/PaymentKinds.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { EvmLog } from "../../../src/domain/families/ethereum/evidence/EvmTransaction.ts"
import { accountOfTron } from "../../../src/domain/families/tron/TronAddresses.ts"
import {
  callCost,
  energyWithRoom,
  PLAIN_CALL_ENERGY,
  transferCost
} from "../../../src/domain/families/tron/cost/TronCosts.ts"
import type { TronPrices } from "../../../src/domain/families/tron/cost/TronCosts.ts"
import { hasDelivered } from "../../../src/domain/families/tron/payment/Delivered.ts"
import { paymentBody } from "../../../src/domain/families/tron/payment/PaymentBody.ts"
import type { CallBody, PaymentBody } from "../../../src/domain/families/tron/payment/PaymentBody.ts"
import { greatestLength } from "../../../src/domain/families/tron/payment/PaymentSize.ts"
import type { TronCallData } from "../../../src/domain/families/tron/TronTransactionData.ts"
import { readAccount, readNumber, tryCall } from "../quote/TryCall.ts"
import type { TronNode } from "../rpc/TronNode.ts"
import type { TronFault } from "../rpc/TronRpc.ts"
import type { KeyAccount } from "./SolverAccount.ts"

const nodeAccount = (account: Address): string => `41${account.slice(2)}`

/** Smallest units of a token. */
export const readTokens = (
  node: TronNode,
  token: Address,
  account: Address,
  deadline: number
): Effect.Effect<bigint, TronFault> =>
  readNumber(node, nodeAccount(token), `70a08231${account.slice(2).padStart(64, "0")}`, deadline)

export interface Trial {
  readonly energy: bigint
  readonly logs: ReadonlyArray<EvmLog>
}

/** A call as nodes try it. */
export const triedCall = ({ contract, input, owner, value }: CallBody["act"]): TronCallData["parameter"] => ({
  owner_address: nodeAccount(owner),
  contract_address: nodeAccount(contract),
  data: input.slice(2),
  call_value: Number(value)
})

/** Undefined when the chain would not execute it. A node that does not try it has no answer. */
export const tryAct = Effect.fnUntraced(
  function*(
    node: TronNode,
    act: CallBody["act"],
    deadline: number
  ): Effect.fn.Return<Trial | undefined, TronFault> {
    const trial = yield* tryCall(node, triedCall(act), deadline)
    if (trial._tag === "NotTried") return yield* Effect.fail("refused" as const)
    return trial._tag === "Reverted" ? undefined : trial
  }
)

export interface TriedPayment {
  readonly _tag: "Tried"
  readonly body: PaymentBody
  /** The most sun that it takes besides what it pays. */
  readonly fee: bigint
  /** The most energy that a call may take; zero for a transfer. */
  readonly energy: bigint
  /** Sun of it that a call may take for energy. */
  readonly feeLimit: bigint
  /** The account's sun. */
  readonly held: bigint
  /** The account's units of the token; undefined for TRX. */
  readonly tokens: bigint | undefined
}

const refused = (reason: PaymentRefused["reason"]) => new PaymentRefused({ reason })

/** In EVM form. Undefined for an address of no chain of the family, which no quote has. */
const accountsOf = ({ currency, recipient }: Payment) => {
  const to = accountOfTron(recipient)
  const token = currency.isNative ? undefined : accountOfTron(currency.address)
  return Result.isFailure(to) || (token !== undefined && Result.isFailure(token))
    ? undefined
    : { recipient: to.success, token: token?.success }
}

/** One unit: a payment is tried with it while its amount is not known yet. */
const UNKNOWN = 1n

/**
 * The amount with which a call is tried to learn its cost. A token is tried with half of what the account holds: one
 * that keeps a part of small amounts only, or of none, is no different then. A contract is paid TRX as it will be: it
 * may take more energy for one amount than for another.
 */
const pricedAmount = (amount: bigint, available: bigint, isToken: boolean): bigint =>
  isToken || amount === UNKNOWN || amount > available ? available / 2n : amount

/** `to`: "pay" its amount, or only to learn what it costs. */
export const tryPayment = Effect.fnUntraced(
  function*(
    node: TronNode,
    account: Pick<KeyAccount, "address" | "evm">,
    payment: Payment,
    prices: TronPrices,
    to: "pay" | "price",
    deadline: number
  ): Effect.fn.Return<TriedPayment | PaymentRefused, TronFault> {
    const accounts = accountsOf(payment)
    if (accounts === undefined) return refused("reverts")
    const { recipient, token } = accounts
    const owner = account.evm
    const [{ balance: held }, tokens, receiving] = yield* Effect.all([
      readAccount(node, account.address, deadline),
      token === undefined ? Effect.succeed(undefined) : readTokens(node, token, owner, deadline),
      token === undefined ? readAccount(node, payment.recipient, deadline) : Effect.succeed(undefined)
    ], { concurrency: "unbounded" })
    // An account without TRX cannot pay for a call. One that never had any cannot even try it.
    if (token !== undefined && held === 0n) return refused("insufficient-funds")
    const available = tokens ?? held
    const isContract = receiving?.isContract === true
    const isTransfer = token === undefined && !isContract
    const amount = to === "pay"
      ? payment.amount
      : isTransfer
      ? UNKNOWN
      : pricedAmount(payment.amount, available, token !== undefined)
    // Checked first: a trial reports missing money in many different ways.
    if (amount === 0n || (!(isTransfer && to === "price") && amount > available)) return refused("insufficient-funds")
    const body = paymentBody({ owner, recipient, token, amount, orderId: payment.orderId }, isContract)
    const length = greatestLength(body, prices.mostFeeLimit)
    const tried = { _tag: "Tried", body, held, tokens } as const
    if (body.act._tag === "Transfer") {
      // The chain transfers nothing to the account itself.
      return recipient === owner ? refused("reverts") : {
        ...tried,
        fee: transferCost(prices, length, { createsRecipient: receiving?.exists === false, hasMemo: true }),
        energy: 0n,
        feeLimit: 0n
      }
    }
    const trial = yield* tryAct(node, body.act, deadline)
    if (trial === undefined) return refused("reverts")
    if (!hasDelivered(body, trial.logs)) {
      return new PaymentRefused({
        reason: "reverts",
        unpayable: { chainId: payment.chain.id, currency: payment.currency.address }
      })
    }
    const energy = energyWithRoom(trial.energy)
    // The operator chooses the tokens, and the caller chooses the recipient.
    if (token === undefined && energy > PLAIN_CALL_ENERGY) return refused("reverts")
    const feeLimit = energy * prices.energy
    return feeLimit > prices.mostFeeLimit
      ? refused("reverts")
      : { ...tried, fee: callCost(prices, energy, length), energy, feeLimit }
  }
)
