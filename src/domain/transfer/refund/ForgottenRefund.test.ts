/** Which deposit a refund could be for, of which a restored store knows the order alone. */
import { assert, describe, it } from "@effect/vitest"
import { Address, CurrencyAddress } from "../../chain/Address.ts"
import { ChainId } from "../../chain/ChainId.ts"
import { TransactionId } from "../../chain/TransactionId.ts"
import { Hex32 } from "../../encoding/Hex.ts"
import { transferOf } from "../../permit/testing/PermitTransfers.ts"
import type { Deposit } from "../deposit/Deposit.ts"
import { couldBeExcess, couldRefund, forgottenDeposit } from "./ForgottenRefund.ts"
import type { RefundedTransfer } from "./RefundedTransfer.ts"

const word = (n: number) => Hex32.make(`0x${n.toString(16).padStart(64, "0")}`)
const account = (n: number) => Address.make(`0x${n.toString(16).padStart(40, "0")}`)
const [user, stranger] = [account(1), account(2)]
const native = CurrencyAddress.make(account(0))
const [alpha, beta] = [ChainId.make(1), ChainId.make(2)]

/** Of a thousand, refunds leave out a hundred at most. */
const { order, ...quoted } = transferOf({ originChainId: alpha, originCurrency: native, user, refundTo: user })
const transfer: RefundedTransfer = {
  ...quoted,
  order: {
    ...order,
    inputs: order.inputs.map(({ payment, refunds }) => ({
      payment: { ...payment, amount: 1000n, weight: 1n },
      refunds: refunds.map((each) => ({ ...each, minimumAmount: 900n }))
    }))
  }
}

const deposit = (amount: bigint, changes: Partial<Deposit> = {}) =>
  ({
    onchainId: word(1),
    chainId: alpha,
    currency: native,
    sender: user,
    depositor: user,
    amount,
    ...changes
  }) as Deposit

const paid = (amount: bigint, recipient = user, chainId = alpha) => ({ amount, recipient, chainId, currency: native })

describe("a refund whose deposit is forgotten", () => {
  it("could be for a deposit that it returns as far as the order says", () => {
    for (const [amount, could] of [[900n, true], [1000n, true], [899n, false], [1001n, false]] as const) {
      assert.strictEqual(couldRefund(transfer, paid(amount), deposit(1000n)), could, `${amount}`)
    }
    assert.isFalse(couldRefund(transfer, paid(1000n), deposit(2000n)), "less than its minimum")
  })

  it("is not for one that would be returned to somebody else, or elsewhere", () => {
    const strangers = deposit(1000n, { sender: stranger, depositor: stranger })
    assert.isFalse(couldRefund(transfer, paid(950n), strangers))
    assert.isTrue(couldRefund(transfer, paid(950n, stranger), strangers))
    assert.isFalse(couldRefund(transfer, paid(950n, user, beta), deposit(1000n)))
  })

  it("could be for one on another chain that is not much more", () => {
    const elsewhere = deposit(1000n, { chainId: beta })
    assert.isTrue(couldRefund(transfer, paid(500n, user, beta), elsewhere))
    assert.isFalse(couldRefund(transfer, paid(499n, user, beta), elsewhere))
  })

  it("could be the excess of a filled deposit at a strict address, most of it, to the same recipient", () => {
    const { permit: _, ...quoted } = transferOf().terms
    const terms = { ...quoted, originChainId: alpha, originCurrency: native, refundTo: user, amountIn: 1000n }
    const at = (mode: "open" | "strict") => ({
      terms: { ...terms, depositAddress: { address: user, depositor: user, mode } }
    })
    const strict = at("strict")
    for (const [amount, could] of [[100n, true], [200n, true], [99n, false], [201n, false]] as const) {
      assert.strictEqual(couldBeExcess(strict, paid(amount), deposit(1200n), 200n), could, `${amount}`)
    }
    assert.isFalse(couldBeExcess(strict, paid(200n, stranger), deposit(1200n), 200n))
    assert.isFalse(couldBeExcess(strict, paid(200n, user, beta), deposit(1200n), 200n))
    assert.isFalse(couldBeExcess(strict, paid(0n), deposit(1000n), 0n), "of the quoted amount nothing is returned")
    assert.isFalse(couldBeExcess(at("open"), paid(200n), deposit(1200n), 0n))
  })

  it("has an id of its own", () => {
    assert.notStrictEqual(forgottenDeposit(TransactionId.make(word(1))), forgottenDeposit(TransactionId.make(word(2))))
  })
})
