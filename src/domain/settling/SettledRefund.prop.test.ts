/** Every refund in kind that is paid is attestable: judged by the judge that oracles sign by. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { Address, CurrencyAddress } from "../chain/Address.ts"
import { ChainSlug } from "../chain/ChainId.ts"
import { Hex, Hex32 } from "../chain/Hex.ts"
import { TransactionId } from "../chain/TransactionId.ts"
import type { JudgeContext } from "../evidence/JudgeContext.ts"
import { judgeRefund } from "../evidence/JudgeRefund.ts"
import type { TransactionEvidence } from "../evidence/TransactionEvidence.ts"
import type { Order } from "../order/Order.ts"
import { orderId } from "../order/OrderId.ts"
import { onchainId } from "../settlement/ProtocolId.ts"
import { refundAmount } from "../transfer/RefundPlan.ts"
import { settledRefund } from "./SettledRefund.ts"

const slug = ChainSlug.make("base")
const address = (digit: string) => Address.make(`0x${digit.repeat(40)}`)
const [depository, solver, user, stranger] = ["d", "5", "a", "b"].map(address)
const native = CurrencyAddress.make(`0x${"0".repeat(40)}`)
const chain = { slug, family: "ethereum-vm", network: "mainnet", depository: depository ?? address("d") } as const
const context: JudgeContext = { chainOf: () => chain, network: "mainnet", isSignedBy: () => true }
const transaction = (digit: string) => TransactionId.make(`0x${digit.repeat(64)}`)
const bare = { _tag: "Transaction", chain: slug, outcome: "succeeded", finality: { _tag: "Final" }, deposits: [], payments: [], routerCalls: [], orderIds: [], block: { height: 1n, hash: "0x1", time: 1 } } as const

/** `bound` is what the order keeps of a refund of all that was quoted. */
const orderOf = (quoted: bigint, bound: bigint): Order => ({
  version: "v1",
  solverChainId: slug,
  solver: solver ?? address("5"),
  salt: Hex32.make(`0x${"1".repeat(64)}`),
  inputs: [{
    payment: { chainId: slug, currency: native, amount: quoted, weight: 1n },
    refunds: [{ chainId: slug, recipient: user ?? address("a"), currency: native, minimumAmount: quoted > bound ? quoted - bound : 1n, deadline: 9, extraData: Hex.make("0x") }]
  }],
  output: { chainId: slug, payments: [], calls: [], deadline: 9, extraData: Hex.make("0x") },
  fees: []
})

const judged = (order: Order, deposited: bigint, refunded: bigint) => {
  const id = Result.getOrThrow(orderId(order, () => "ethereum-vm"))
  const deposit: TransactionEvidence = {
    ...bare,
    transactionId: transaction("1"),
    deposits: [{ depository: chain.depository, index: 0, depositId: id, depositor: user ?? address("a"), currency: native, amount: deposited }]
  }
  const refund: TransactionEvidence = {
    ...bare,
    transactionId: transaction("2"),
    orderIds: [id],
    payments: [{ recipient: user ?? address("a"), currency: native, amount: refunded, through: { _tag: "Direct" } }]
  }
  return judgeRefund(context, {
    order,
    orderSignature: Hex.make("0x"),
    inputs: [{ transactionId: deposit.transactionId, onchainId: onchainId(slug, deposit.transactionId, 0), inputIndex: 0 }],
    refunds: [{ transactionId: refund.transactionId, inputIndex: 0, refundIndex: 0 }]
  }, [deposit, refund])
}

const units = fc.bigInt({ min: 1n, max: 10n ** 24n })

describe("a refund of an order's deposit in kind", () => {
  it("is attested by the judge whatever was deposited and whatever its gas costs, and is no more than was deposited", () => {
    let borne = 0
    fc.assert(
      fc.property(units, units, fc.bigInt({ min: 10n ** 6n, max: 10n ** 20n }), fc.integer({ min: 0, max: 400 }), (quoted, deposited, bound, percent) => {
        // The bound is three times what the gas was when it was quoted, and gas moves.
        const gas = (bound * BigInt(percent)) / 300n
        const order = orderOf(quoted, bound)
        const net = refundAmount(deposited, gas)
        const paid = settledRefund(order, { chain: slug, currency: native, recipient: user ?? address("a"), deposited }, net)
        if (net === 0n) return assert.strictEqual(paid, 0n)
        assert.isTrue(paid >= net && paid <= deposited)
        if (paid > net) borne += 1
        // The protocol rounds a part of the minimum up by a part in 10^18 of it: of dust that may be more than there is.
        if (Result.isFailure(judged(order, deposited, deposited))) {
          return assert.isTrue(Result.isSuccess(judged(order, deposited, deposited + quoted / 10n ** 18n + 1n)))
        }
        const attested = judged(order, deposited, paid)
        assert.isTrue(Result.isSuccess(attested), Result.isFailure(attested) ? `${attested.failure.message}: ${quoted} ${deposited} ${bound} ${gas}` : "")
        // What is borne is what is needed, to the unit.
        if (paid > net) assert.isTrue(Result.isFailure(judged(order, deposited, paid - 1n)))
      }),
      { numRuns: inputs(150, 40_000) }
    )
    assert.isAbove(borne, 0)
  })

  it("bears nothing for what is no refund of the order", () => {
    const order = orderOf(1_000n, 30n)
    const refund = { chain: slug, currency: native, recipient: stranger ?? address("b"), deposited: 100n }
    assert.strictEqual(settledRefund(order, refund, 90n), 90n)
    assert.strictEqual(settledRefund(order, { ...refund, recipient: user ?? address("a"), chain: ChainSlug.make("other") }, 90n), 90n)
    assert.strictEqual(settledRefund(order, { ...refund, recipient: user ?? address("a") }, 90n), 97n)
    assert.strictEqual(settledRefund(order, { ...refund, recipient: user ?? address("a") }, 0n), 0n)
  })
})
