/** The time until which a fill settles is exactly the one by which oracles sign, to the unit and to the second. */
import { families } from "../../families/index.ts"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { Address, CurrencyAddress } from "../../chain/Address.ts"
import { ChainSlug } from "../../chain/ChainId.ts"
import { Hex, Hex32 } from "../../encoding/Hex.ts"
import { TransactionId } from "../../chain/TransactionId.ts"
import type { JudgeContext } from "../../evidence/judges/JudgeContext.ts"
import { judgeFill } from "../../evidence/judges/JudgeFill.ts"
import { judgeRefund } from "../../evidence/judges/JudgeRefund.ts"
import type { TransactionEvidence } from "../../evidence/TransactionEvidence.ts"
import type { Order, OrderRefund } from "../../order/Order.ts"
import { orderId } from "../../order/OrderId.ts"
import { onchainId } from "../ProtocolId.ts"
import type { Deposit } from "../../transfer/deposit/Deposit.ts"
import { alpha as anyChain } from "../../quote/testing/Chains.ts"
import { settlingClaims } from "./Claims.ts"
import { fallbackUntil } from "./SettledFallback.ts"
import { settlesUntil } from "./SettledFill.ts"

const address = (digit: string) => Address.make(`0x${digit.repeat(40)}`)
const [solver, user, recipient] = [address("5"), address("a"), address("b")]
const native = CurrencyAddress.make(`0x${"0".repeat(40)}`)
const token = CurrencyAddress.make(`0x${"7".repeat(40)}`)
const chainOf = (slug: string) =>
  ({
    slug: ChainSlug.make(slug),
    family: families["ethereum-vm"],
    network: "mainnet",
    depository: address("d")
  }) as const
const [origin, destination] = [chainOf("origin"), chainOf("destination")]
const context: JudgeContext = {
  chainOf: (slug) => [origin, destination].find((each) => each.slug === slug),
  network: "mainnet",
  isSignedBy: () => true
}
const transaction = (digit: string) => TransactionId.make(`0x${digit.repeat(64)}`)
const bare = {
  _tag: "Transaction",
  outcome: "succeeded",
  finality: { _tag: "Final" },
  deposits: [],
  payments: [],
  routerCalls: [],
  orderIds: []
} as const
const [OUTPUT_DEADLINE, REFUND_DEADLINE] = [1_000, 2_000]

interface Quoted {
  readonly amountIn: bigint
  readonly minimumOut: bigint
  readonly refundOut: bigint
  readonly refundOnOrigin: boolean
}

const orderOf = ({ amountIn, minimumOut, refundOnOrigin, refundOut }: Quoted): Order => {
  const onOrigin: OrderRefund = {
    chainId: origin.slug,
    recipient: user,
    currency: native,
    minimumAmount: amountIn,
    deadline: REFUND_DEADLINE,
    extraData: Hex.make("0x")
  }
  const onDestination: OrderRefund = {
    ...onOrigin,
    chainId: destination.slug,
    recipient,
    currency: token,
    minimumAmount: refundOut
  }
  return {
    version: "v1",
    solverChainId: origin.slug,
    solver,
    salt: Hex32.make(`0x${"1".repeat(64)}`),
    inputs: [{
      payment: { chainId: origin.slug, currency: native, amount: amountIn, weight: 1n },
      refunds: [onOrigin, ...(refundOnOrigin ? [] : [onDestination]), { ...onOrigin, recipient: Address.make(native) }]
    }],
    output: {
      chainId: destination.slug,
      payments: [{ recipient, currency: token, minimumAmount: minimumOut, expectedAmount: minimumOut }],
      calls: [],
      deadline: OUTPUT_DEADLINE,
      extraData: Hex.make("0x")
    },
    fees: []
  }
}

/** Whether oracles attest it by any of the claims that settling makes for a fill. */
const isAttested = (order: Order, deposited: bigint, amountOut: bigint, time: number): boolean => {
  const id = Result.getOrThrow(orderId(order, () => families["ethereum-vm"]))
  const deposit: TransactionEvidence = {
    ...bare,
    chain: origin.slug,
    block: { height: 1n, hash: "0x1", time: 1 },
    transactionId: transaction("1"),
    deposits: [{
      depository: origin.depository,
      index: 0,
      depositId: id,
      depositor: user,
      currency: native,
      amount: deposited
    }]
  }
  const paid: TransactionEvidence = {
    ...bare,
    chain: destination.slug,
    block: { height: 2n, hash: "0x2", time },
    transactionId: transaction("2"),
    orderIds: [id],
    payments: [{ recipient, currency: token, amount: amountOut, through: { _tag: "Direct" } }]
  }
  const common = {
    order,
    orderSignature: Hex.make("0x"),
    inputs: [{
      transactionId: deposit.transactionId,
      onchainId: onchainId(origin.slug, deposit.transactionId, 0),
      inputIndex: 0
    }]
  }
  const refunds = order.inputs.flatMap((input) => input.refunds).map((_, refundIndex) =>
    judgeRefund(context, { ...common, refunds: [{ transactionId: paid.transactionId, inputIndex: 0, refundIndex }] }, [
      deposit,
      paid
    ])
  )
  const fill = judgeFill(context, { ...common, fill: { transactionId: paid.transactionId } }, [deposit, paid])
  return Result.isSuccess(fill) || refunds.some(Result.isSuccess)
}

/** The origin as configured, and a deposit on it. */
const alpha = { ...anyChain, slug: origin.slug }
const depositOf = (amount: bigint): Deposit => ({
  onchainId: Hex32.make(`0x${"1".repeat(64)}`),
  chainId: alpha.id,
  transactionId: transaction("1"),
  index: 0,
  block: { height: 1n, hash: "0x1", time: 1 },
  depositId: Hex32.make(`0x${"2".repeat(64)}`),
  depositor: user,
  sender: user,
  currency: native,
  amount
})

const units = fc.bigInt({ min: 1n, max: 10n ** 24n })
const quotes: fc.Arbitrary<Quoted> = fc.record({
  amountIn: units,
  minimumOut: units,
  refundOut: units,
  refundOnOrigin: fc.boolean()
})
/** A hundred for ninety at least, of which eighty may be refunded on the destination. */
const whole: Quoted = { amountIn: 100n, minimumOut: 90n, refundOut: 80n, refundOnOrigin: false }
interface Case {
  readonly quoted: Quoted
  readonly deposited: bigint
  readonly amountOut: bigint
}
/** Often at the bounds that matter: the minimum, and the refund in proportion. */
const cases: fc.Arbitrary<Case> = quotes.chain((quoted) =>
  fc.record({
    quoted: fc.constant(quoted),
    deposited: fc.oneof(units, fc.constant(quoted.amountIn), fc.constant(quoted.amountIn / 2n + 1n)),
    amountOut: fc.oneof(
      units,
      fc.constantFrom(
        quoted.minimumOut,
        quoted.minimumOut - 1n,
        quoted.refundOut,
        quoted.refundOut - 1n,
        quoted.refundOut / 2n
      ).map((amount) => amount < 1n ? 1n : amount)
    )
  })
)

describe("a fill", () => {
  it("is attested until the computed second, and not after it", () => {
    const untilAttested = ({ amountOut, deposited, quoted }: Case) => {
      const order = orderOf(quoted)
      const until = settlesUntil(order, { deposited, amountOut })
      if (until === undefined) assert.isFalse(isAttested(order, deposited, amountOut, 2))
      else {
        assert.isTrue(isAttested(order, deposited, amountOut, until))
        assert.isFalse(isAttested(order, deposited, amountOut, until + 1))
      }
      return until
    }
    // As a fill; late, as a refund on the destination; and never.
    assert.strictEqual(
      untilAttested({ quoted: { ...whole, refundOnOrigin: true }, deposited: 100n, amountOut: 90n }),
      OUTPUT_DEADLINE
    )
    assert.strictEqual(untilAttested({ quoted: whole, deposited: 100n, amountOut: 90n }), REFUND_DEADLINE)
    assert.strictEqual(untilAttested({ quoted: whole, deposited: 50n, amountOut: 40n }), REFUND_DEADLINE)
    assert.isUndefined(untilAttested({ quoted: whole, deposited: 100n, amountOut: 79n }))
    fc.assert(fc.property(cases, (each) => void untilAttested(each)), { numRuns: inputs(300, 20_000) })
  })

  it("whose swap cannot be made is delivered as its input until the second that oracles attest, by the claims that settling makes", () => {
    const untilAttested = ({ amountOut, deposited, quoted }: Case) => {
      const plain = orderOf(quoted)
      const [payment] = plain.output.payments
      if (payment === undefined) return assert.fail("no payment")
      const order: Order = {
        ...plain,
        output: { ...plain.output, calls: [Hex.make("0x00")], payments: [{ ...payment, recipient: address("e") }] }
      }
      const until = fallbackUntil(order, { deposited, amountOut, recipient })
      if (until === undefined) {
        assert.isFalse(isAttested(order, deposited, amountOut, 2))
        return until
      }
      assert.isFalse(quoted.refundOnOrigin)
      assert.isTrue(isAttested(order, deposited, amountOut, until))
      assert.isFalse(isAttested(order, deposited, amountOut, until + 1))
      // Whoever else is paid it has no claim on the deposit.
      assert.isUndefined(fallbackUntil(order, { deposited, amountOut, recipient: user }))
      const claims = settlingClaims({ order, orderSignature: Hex.make("0x") }, {
        chain: alpha,
        deposit: depositOf(deposited)
      }, { kind: "fallback", transactionId: transaction("2"), recipient })
      assert.deepStrictEqual(
        claims?.settlement.map((claim) => "refunds" in claim ? claim.refunds[0]?.refundIndex : "fill"),
        [1]
      )
      return until
    }
    assert.strictEqual(untilAttested({ quoted: whole, deposited: 100n, amountOut: 80n }), REFUND_DEADLINE)
    assert.isUndefined(untilAttested({ quoted: whole, deposited: 100n, amountOut: 79n }))
    assert.isUndefined(untilAttested({ quoted: { ...whole, refundOnOrigin: true }, deposited: 100n, amountOut: 99n }))
    fc.assert(fc.property(cases, (each) => void untilAttested(each)), { numRuns: inputs(300, 20_000) })
  })

  it("with calls is attested as a fill only: the router is paid", () => {
    const plain = orderOf({ amountIn: 100n, minimumOut: 90n, refundOut: 10n, refundOnOrigin: false })
    const withCalls: Order = { ...plain, output: { ...plain.output, calls: [Hex.make("0x00")] } }
    assert.strictEqual(settlesUntil(plain, { deposited: 100n, amountOut: 90n }), REFUND_DEADLINE)
    assert.strictEqual(settlesUntil(withCalls, { deposited: 100n, amountOut: 90n }), OUTPUT_DEADLINE)
    assert.isUndefined(settlesUntil(withCalls, { deposited: 100n, amountOut: 89n }))
  })
})
