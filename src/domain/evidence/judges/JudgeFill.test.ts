/**
 * The pinned order of the vectors, filled and refunded: actions and keys against viem, not against our own encoders.
 */
import { families } from "../../families/index.ts"
import { assert, describe, it } from "@effect/vitest"
import { base58 } from "@scure/base"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import {
  bytesToHex,
  concatHex,
  encodeAbiParameters,
  encodePacked,
  keccak256,
  parseAbiParameters,
  sha256,
  stringToBytes
} from "viem"
import { Address, CurrencyAddress } from "../../chain/Address.ts"
import { ChainSlug } from "../../chain/ChainId.ts"
import { HexFromString } from "../../encoding/Hex.ts"
import { isSignedBy } from "../../encoding/Signature.ts"
import { parseTransactionId } from "../../chain/TransactionId.ts"
import { Order, OrderId } from "../../order/Order.ts"
import { orderId } from "../../order/OrderId.ts"
import { onchainId } from "../../hub/ProtocolId.ts"
import vectors from "../../hub/vectors/settlement.json" with { type: "json" }
import { claimedTransactions } from "../ClaimedTransactions.ts"
import type { JudgeContext, JudgedChain } from "./JudgeContext.ts"
import { judgeFill } from "./JudgeFill.ts"
import { judgeRefund } from "./JudgeRefund.ts"
import type { TransactionEvidence } from "../TransactionEvidence.ts"

const solana = ChainSlug.make("solana")
const base = ChainSlug.make("base")
const vault = Address.make("9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin")
const chains: ReadonlyArray<JudgedChain> = [
  { slug: solana, family: families["solana-vm"], network: "mainnet", depository: vault },
  { slug: base, family: families["ethereum-vm"], network: "mainnet", depository: Address.make(`0x${"d0".repeat(20)}`) }
]
const context: JudgeContext = {
  chainOf: (slug) => chains.find((chain) => chain.slug === slug),
  network: "mainnet",
  isSignedBy
}

const order = Schema.decodeUnknownSync(Order)(vectors.order.order)
const id = OrderId.make(vectors.order.orderId as `0x${string}`)
const orderSignature = Schema.decodeUnknownSync(HexFromString)(vectors.order.orderSignature)
const signature = base58.encode(new Uint8Array(64).fill(7))
const depositTransaction = Result.getOrThrow(parseTransactionId(families["solana-vm"], signature))
const fillTransaction = Result.getOrThrow(parseTransactionId(families["ethereum-vm"], "ab".repeat(32)))
const depositor = Address.make("7EaP2zkxDLo86x4rnNwwLhB593PsbMva41dqfrfxhsb1")
const router = Address.make("0x00000000000000000000000000000000000000f1")
const native = CurrencyAddress.make("0x0000000000000000000000000000000000000000")
const time = 1_750_000_000
const paid = 1_500_000_003n

const bare = {
  _tag: "Transaction",
  outcome: "succeeded",
  finality: { _tag: "Final" },
  deposits: [],
  payments: [],
  orderIds: [],
  routerCalls: []
} as const
const block = { height: 5n, hash: "0xb1", time }

const deposit: TransactionEvidence = {
  ...bare,
  chain: solana,
  transactionId: depositTransaction,
  block,
  deposits: [{
    depository: vault,
    index: 2,
    depositId: id,
    depositor,
    currency: CurrencyAddress.make("11111111111111111111111111111111"),
    amount: paid
  }]
}

const fill: TransactionEvidence = {
  ...bare,
  chain: base,
  transactionId: fillTransaction,
  block,
  orderIds: [id],
  payments: [{ recipient: router, currency: native, amount: 98000000000000000n, through: { _tag: "Direct" } }],
  routerCalls: [{
    router,
    to: Address.make("0x00000000000000000000000000000000000000c1"),
    data: Schema.decodeUnknownSync(HexFromString)("0xdeadbeef"),
    value: 7n
  }]
}

const entry = { transactionId: signature, onchainId: onchainId(solana, depositTransaction, 2), inputIndex: 0 }
const claim = { order, orderSignature, inputs: [entry], fill: { transactionId: fillTransaction } }

/** packed(string chain, bytes address) and what follows, hashed by viem. */
const account = (chain: string, bytes: `0x${string}`, ...rest: ReadonlyArray<`0x${string}`>): `0x${string}` =>
  `0x${keccak256(concatHex([encodePacked(["string", "bytes"], [chain, bytes]), ...rest])).slice(-40)}`
const token = (chain: string, bytes: `0x${string}`): bigint =>
  BigInt(keccak256(encodePacked(["string", "bytes"], [chain, bytes])))
const transfer = (from: `0x${string}`, to: `0x${string}`, tokenId: bigint, amount: bigint): string =>
  encodeAbiParameters(parseAbiParameters("uint8, address, address, uint256, uint256"), [2, from, to, tokenId, amount])
const hash = (text: string): string => sha256(stringToBytes(text.toLowerCase()))

const depositorBytes = bytesToHex(base58.decode(depositor))
const solverAlias = account("base", order.solver as `0x${string}`)
const orderAccount = account("solana", depositorBytes, encodePacked(["uint256", "bytes32"], [BigInt(time), id]))
const release = transfer(orderAccount, solverAlias, token("solana", `0x${"00".repeat(32)}`), paid)

describe("the pinned order", () => {
  it("filled: the deposit goes to the solver, then the fees to their recipients", () => {
    const judged = Result.getOrThrow(judgeFill(context, claim, [deposit, fill]))
    assert.strictEqual(judged.result.totalWeightedInputPaymentBpsDiff, 3n * 10n ** 18n / 1_500_000_000n)
    assert.strictEqual(judged.execution.idempotencyKey, hash(`${hash(entry.onchainId)}:${id}`))
    const fees = order.fees.map((fee) =>
      transfer(
        solverAlias,
        account(fee.recipientChainId, fee.recipient as `0x${string}`),
        token(
          fee.currencyChainId,
          fee.currencyChainId === "solana" ? bytesToHex(base58.decode(fee.currency)) : fee.currency as `0x${string}`
        ),
        fee.amount
      )
    )
    assert.isAbove(fees.length, 0)
    assert.deepStrictEqual<ReadonlyArray<string>>(judged.execution.actions, [release, ...fees])
  })

  it("refunded on another chain than its deposit: the deposit goes to the solver, without fees", () => {
    const refund: TransactionEvidence = {
      ...fill,
      payments: [{
        recipient: Address.make("0x00000000000000000000000000000000000000a1"),
        currency: native,
        amount: 1n,
        through: { _tag: "Router", router }
      }]
    }
    const refunds = [{ transactionId: fillTransaction, inputIndex: 0, refundIndex: 1 }]
    const judged = Result.getOrThrow(
      judgeRefund(context, { order, orderSignature, inputs: [entry], refunds }, [deposit, refund])
    )
    assert.deepStrictEqual<ReadonlyArray<string>>(judged.execution.actions, [release])
    assert.strictEqual(judged.execution.idempotencyKey, hash(`${hash(entry.onchainId)}:${id}`))
  })

  it("refunded to a depositor who has no account on the refund's chain: refused", () => {
    const toDepositor: Order = {
      ...order,
      inputs: order.inputs.map((input) => ({
        ...input,
        refunds: input.refunds.map((option) => ({ ...option, recipient: native, chainId: base, currency: native }))
      }))
    }
    const believing: JudgeContext = { ...context, isSignedBy: () => true }
    const named = Result.getOrThrow(orderId(toDepositor, (slug) => context.chainOf(slug)?.family))
    const refunds = [{ transactionId: fillTransaction, inputIndex: 0, refundIndex: 0 }]
    const judged = judgeRefund(believing, { order: toDepositor, orderSignature, inputs: [entry], refunds }, [
      { ...deposit, deposits: deposit.deposits.map((each) => ({ ...each, depositId: named })) },
      { ...fill, orderIds: [named] }
    ])
    assert.isTrue(Result.isFailure(judged) && judged.failure.reason === "no-refund-recipient")
  })

  it("uses two transactions, each read once", () => {
    assert.deepStrictEqual(Result.getOrThrow(claimedTransactions(context, claim)), [
      { chain: solana, transactionId: depositTransaction },
      { chain: base, transactionId: fillTransaction }
    ])
    const beyond = claimedTransactions(context, { ...claim, inputs: [{ ...entry, inputIndex: 1 }] })
    assert.isTrue(Result.isFailure(beyond) && beyond.failure.reason === "extra-entry")
  })

  it("with a gas topup: the output by its token and the topup through the router, both at least, and neither replaces the other", () => {
    const [output] = order.output.payments
    const token = CurrencyAddress.make("0x00000000000000000000000000000000000000e2")
    if (output === undefined) return assert.fail("the pinned order has an output")
    const topped: Order = {
      ...order,
      output: {
        ...order.output,
        payments: [{ ...output, currency: token }, { ...output, minimumAmount: 5n, expectedAmount: 5n }]
      }
    }
    const named = Result.getOrThrow(orderId(topped, (slug) => context.chainOf(slug)?.family))
    const judged = (
      tokens: bigint,
      natives: bigint,
      through: TransactionEvidence["payments"][number]["through"] = { _tag: "Router", router }
    ) =>
      judgeFill({ ...context, isSignedBy: () => true }, { ...claim, order: topped }, [
        { ...deposit, deposits: deposit.deposits.map((each) => ({ ...each, depositId: named })) },
        {
          ...fill,
          orderIds: [named],
          payments: [
            { recipient: router, currency: token, amount: tokens, through: { _tag: "Direct" } },
            { recipient: router, currency: native, amount: natives, through }
          ]
        }
      ])
    const reason = (result: ReturnType<typeof judged>) => Result.isFailure(result) ? result.failure.reason : "attested"
    const least = output.minimumAmount
    assert.strictEqual(reason(judged(least, 5n)), "attested")
    assert.deepStrictEqual([
      reason(judged(least, 4n)),
      reason(judged(least, 0n)),
      reason(judged(least - 1n, 5n)),
      reason(judged(least - 1n, least))
    ], Array.from({ length: 4 }, () => "underpaid"))
    // A call by another router does not count.
    assert.strictEqual(
      reason(judged(least, 5n, { _tag: "Router", router: Address.make("0x00000000000000000000000000000000000000f2") })),
      "underpaid"
    )
  })

  it("paid directly and through the router: only the direct payment counts", () => {
    const passedOn: TransactionEvidence = {
      ...fill,
      payments: [
        { recipient: router, currency: native, amount: 49000000000000000n, through: { _tag: "Direct" } },
        { recipient: router, currency: native, amount: 49000000000000000n, through: { _tag: "Router", router } }
      ]
    }
    const judged = judgeFill(context, claim, [deposit, passedOn])
    assert.isTrue(Result.isFailure(judged) && judged.failure.reason === "underpaid")
  })
})
