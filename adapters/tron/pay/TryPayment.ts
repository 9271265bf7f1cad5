/**
 * What a payment needs to be made now: its transaction, what that can cost, and whether the chain executes it. One node
 * tells all of it.
 *
 * SECURITY: nodes see only unsigned calls.
 */
import { Effect, Result, Schema } from "effect"
import { PaymentRefused } from "../../../ports/chain/Treasury.ts"
import type { Payment } from "../../../ports/chain/PaymentKinds.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { EvmLog } from "../../../src/domain/families/ethereum/evidence/EvmTransaction.ts"
import { accountOfTron } from "../../../src/domain/families/tron/TronAddresses.ts"
import { callCost, energyWithRoom, transferCost } from "../../../src/domain/families/tron/cost/TronCosts.ts"
import type { TronPrices } from "../../../src/domain/families/tron/cost/TronCosts.ts"
import { hasDelivered } from "../../../src/domain/families/tron/payment/Delivered.ts"
import { paymentBody } from "../../../src/domain/families/tron/payment/PaymentBody.ts"
import type { PaymentBody } from "../../../src/domain/families/tron/payment/PaymentBody.ts"
import { greatestLength } from "../../../src/domain/families/tron/payment/PaymentSize.ts"
import { ConstantCall, isNothing } from "../decode/NodeAnswers.ts"
import { logsIn, RawHolder, RawRecipient, RawTrial } from "../decode/PaymentAnswers.ts"
import { undecodable } from "../observe/ReadPlace.ts"
import type { TronNode } from "../rpc/TronNode.ts"
import type { TronFault } from "../rpc/TronRpc.ts"

const decodeHolder = Schema.decodeUnknownEffect(RawHolder)
const decodeRecipient = Schema.decodeUnknownEffect(RawRecipient)
const decodeCall = Schema.decodeUnknownEffect(ConstantCall)
const decodeTrial = Schema.decodeUnknownEffect(RawTrial)

const nodeAccount = (account: Address): string => `41${account.slice(2)}`

/** Sun. An account that was never paid holds none. */
export const readHeld = ({ wallet }: TronNode, account: Address, deadline: number): Effect.Effect<bigint, TronFault> =>
  Effect.flatMap(
    wallet("getaccount", { address: nodeAccount(account), visible: false }, deadline),
    (answer) => Effect.map(undecodable(decodeHolder(answer)), ({ balance = 0 }) => BigInt(balance))
  )

/** Smallest units of a token. The token asks itself: a caller must be an account that exists. */
export const readTokens = (
  { wallet }: TronNode,
  token: Address,
  account: Address,
  deadline: number
): Effect.Effect<bigint, TronFault> =>
  Effect.flatMap(
    wallet("triggerconstantcontract", {
      owner_address: nodeAccount(token),
      contract_address: nodeAccount(token),
      function_selector: "balanceOf(address)",
      parameter: account.slice(2).padStart(64, "0"),
      visible: false
    }, deadline),
    (answer) => Effect.map(undecodable(decodeCall(answer)), ({ constant_result: [word] }) => BigInt(`0x${word}`))
  )

type Recipient = "new" | "account" | "contract"

const readRecipient = Effect.fnUntraced(
  function*({ wallet }: TronNode, account: Address, deadline: number): Effect.fn.Return<Recipient, TronFault> {
    const answer = yield* wallet("getaccount", { address: nodeAccount(account), visible: false }, deadline)
    if (isNothing(answer)) return "new"
    return (yield* undecodable(decodeRecipient(answer))).type === "Contract" ? "contract" : "account"
  }
)

interface Trial {
  readonly energy: bigint
  readonly logs: ReadonlyArray<EvmLog>
}

const wordsOf = (message: string | undefined): string => Buffer.from(message ?? "", "hex").toString("utf8")

/** Undefined when the chain would not execute it. */
const tryCall = Effect.fnUntraced(
  function*(
    { wallet }: TronNode,
    { contract, input, owner, value }: Extract<PaymentBody["act"], { readonly _tag: "Trigger" }>,
    deadline: number
  ): Effect.fn.Return<Trial | undefined, TronFault> {
    const answer = yield* wallet("triggerconstantcontract", {
      owner_address: nodeAccount(owner),
      contract_address: nodeAccount(contract),
      data: input.slice(2),
      call_value: Number(value),
      visible: false
    }, deadline)
    const { energy_used: energy = 0, logs, result: { code, message, result } } = yield* undecodable(decodeTrial(answer))
    // A node that is too busy says nothing about the call.
    if (/time ?out/i.test(wordsOf(message))) return yield* Effect.fail("refused" as const)
    return result === true && code === undefined && message === undefined
      ? { energy: BigInt(energy), logs: logsIn(logs) }
      : undefined
  }
)

export interface TriedPayment {
  readonly _tag: "Tried"
  readonly body: PaymentBody
  /** The most sun that it takes besides what it pays. */
  readonly fee: bigint
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

/**
 * `to`: "pay" its amount, or only to learn what it costs. A cost is the same for any amount, and a call is tried with
 * half of what the account holds: a token that keeps a part of small amounts only, or of none, is no different then.
 */
export const tryPayment = Effect.fnUntraced(
  function*(
    node: TronNode,
    owner: Address,
    payment: Payment,
    prices: TronPrices,
    to: "pay" | "price",
    deadline: number
  ): Effect.fn.Return<TriedPayment | PaymentRefused, TronFault> {
    const accounts = accountsOf(payment)
    if (accounts === undefined) return refused("reverts")
    const { recipient, token } = accounts
    const [held, tokens, receiving] = yield* Effect.all([
      readHeld(node, owner, deadline),
      token === undefined ? Effect.succeed(undefined) : readTokens(node, token, owner, deadline),
      token === undefined ? readRecipient(node, recipient, deadline) : Effect.succeed("account" as const)
    ], { concurrency: "unbounded" })
    // An account without TRX cannot pay for a call. One that never had any cannot even try it.
    if (token !== undefined && held === 0n) return refused("insufficient-funds")
    const available = tokens ?? held
    const isTransfer = token === undefined && receiving !== "contract"
    const amount = to === "pay" ? payment.amount : isTransfer ? 1n : available / 2n
    // Checked first: a trial reports missing money in many different ways.
    if (amount === 0n || (!(isTransfer && to === "price") && amount > available)) return refused("insufficient-funds")
    const body = paymentBody({ owner, recipient, token, amount, orderId: payment.orderId }, receiving === "contract")
    const length = greatestLength(body, prices.mostFeeLimit)
    const tried = { _tag: "Tried", body, held, tokens } as const
    if (body.act._tag === "Transfer") {
      // The chain transfers nothing to the account itself.
      return recipient === owner ? refused("reverts") : {
        ...tried,
        fee: transferCost(prices, length, { createsRecipient: receiving === "new", hasMemo: true }),
        feeLimit: 0n
      }
    }
    const trial = yield* tryCall(node, body.act, deadline)
    if (trial === undefined) return refused("reverts")
    if (!hasDelivered(body, trial.logs)) {
      return new PaymentRefused({
        reason: "reverts",
        unpayable: { chainId: payment.chain.id, currency: payment.currency.address }
      })
    }
    const energy = energyWithRoom(trial.energy)
    const feeLimit = energy * prices.energy
    return feeLimit > prices.mostFeeLimit
      ? refused("reverts")
      : { ...tried, fee: callCost(prices, energy, length), feeLimit }
  }
)
