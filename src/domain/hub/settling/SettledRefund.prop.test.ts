/** Every refund that is planned as attestable is attested by the judge that oracles use. */
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
import { judgeRefund } from "../../evidence/judges/JudgeRefund.ts"
import type { TransactionEvidence } from "../../evidence/TransactionEvidence.ts"
import type { Order, OrderRefund } from "../../order/Order.ts"
import { orderId } from "../../order/OrderId.ts"
import { onchainId } from "../ProtocolId.ts"
import { refundAmount } from "../../transfer/refund/RefundPlan.ts"
import { planSettledRefund, REFUND_MARGIN_SECONDS, refundOption } from "./SettledRefund.ts"
import type { RefundInKind } from "./SettledRefund.ts"

const address = (digit: string) => Address.make(`0x${digit.repeat(40)}`)
const [solver, user, stranger, elsewhere] = [address("5"), address("a"), address("b"), address("c")]
const native = CurrencyAddress.make(`0x${"0".repeat(40)}`)
const token = CurrencyAddress.make(`0x${"7".repeat(40)}`)
const sentinel = Address.make(native)
const chainOf = (slug: string) =>
  ({
    slug: ChainSlug.make(slug),
    family: families["ethereum-vm"],
    network: "mainnet",
    depository: address("d")
  }) as const
const [base, other] = [chainOf("base"), chainOf("other")]
const context: JudgeContext = {
  chainOf: (slug) => [base, other].find((each) => each.slug === slug),
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
const DEADLINE = 1_000_000

/** `bound` is what the order keeps of a refund of the whole quoted amount. */
const orderOf = (quoted: bigint, bound: bigint, others: ReadonlyArray<Partial<OrderRefund>> = []): Order => {
  const own: OrderRefund = {
    chainId: base.slug,
    recipient: user,
    currency: native,
    minimumAmount: quoted > bound ? quoted - bound : 1n,
    deadline: DEADLINE,
    extraData: Hex.make("0x")
  }
  return {
    version: "v1",
    solverChainId: base.slug,
    solver,
    salt: Hex32.make(`0x${"1".repeat(64)}`),
    inputs: [{
      payment: { chainId: base.slug, currency: native, amount: quoted, weight: 1n },
      refunds: [own, ...others.map((changes) => ({ ...own, ...changes }))]
    }],
    output: { chainId: base.slug, payments: [], calls: [], deadline: 9, extraData: Hex.make("0x") },
    fees: []
  }
}

/** The oracles' verdict on a refund that was paid in a block of this time. */
const judged = (
  order: Order,
  { chain, currency, depositor, deposited, recipient }: RefundInKind,
  amount: bigint,
  option: number,
  time: number
) => {
  const id = Result.getOrThrow(orderId(order, () => families["ethereum-vm"]))
  const deposit: TransactionEvidence = {
    ...bare,
    chain: chain.slug,
    block: { height: 1n, hash: "0x1", time: 1 },
    transactionId: transaction("1"),
    deposits: [{
      depository: base.depository,
      index: 0,
      depositId: id,
      depositor,
      currency: CurrencyAddress.make(currency),
      amount: deposited
    }]
  }
  const refund: TransactionEvidence = {
    ...bare,
    chain: chain.slug,
    block: { height: 2n, hash: "0x2", time },
    transactionId: transaction("2"),
    orderIds: [id],
    payments: [{ recipient, currency: CurrencyAddress.make(currency), amount, through: { _tag: "Direct" } }]
  }
  return judgeRefund(context, {
    order,
    orderSignature: Hex.make("0x"),
    inputs: [{
      transactionId: deposit.transactionId,
      onchainId: onchainId(chain.slug, deposit.transactionId, 0),
      inputIndex: 0
    }],
    refunds: [{ transactionId: refund.transactionId, inputIndex: 0, refundIndex: option }]
  }, [deposit, refund])
}

const units = fc.bigInt({ min: 1n, max: 10n ** 24n })
const kind = { chain: base, currency: native, recipient: user, depositor: stranger }
const toDepositor = { recipient: sentinel }
const onTime = { mintable: true, now: 1 }

describe("a refund of an order's deposit in the same currency", () => {
  it("is attested by the judge for any deposit and any gas, and is no more than was deposited", () => {
    /** What the solver bears of a refund that is attested; undefined of one that is not. */
    const borne = (quoted: bigint, deposited: bigint, bound: bigint, gas: bigint, recipient: Address) => {
      const order = orderOf(quoted, bound, [toDepositor])
      const net = refundAmount(deposited, gas)
      const refund = { ...kind, recipient, deposited }
      const option = recipient === user ? 0 : 1
      const planned = planSettledRefund(order, refund, { ...onTime, net })
      const at = (amount: bigint) => Result.isSuccess(judged(order, refund, amount, option, 2))
      if (net === 0n) {
        assert.deepStrictEqual(planned, { _tag: "Unattestable", amount: 0n })
        return undefined
      }
      assert.isTrue(planned.amount >= net && planned.amount <= deposited)
      // The protocol rounds a part of the minimum up by a part in 10^18 of it: of dust that may be more than there is.
      if (!at(deposited)) {
        assert.isTrue(planned._tag === "Unattestable" && at(deposited + quoted / 10n ** 18n + 1n))
        return undefined
      }
      assert.isTrue(planned._tag === "Attestable" && at(planned.amount), `${quoted} ${deposited} ${bound} ${gas}`)
      // What is borne is what is needed, to the unit.
      if (planned.amount > net) assert.isFalse(at(planned.amount - 1n))
      return planned.amount - net
    }
    // All that was quoted, at a third of the bound; a tenth of it, of which the order keeps a tenth of the bound.
    assert.strictEqual(borne(10n ** 18n, 10n ** 18n, 3n * 10n ** 15n, 10n ** 15n, user), 0n)
    assert.strictEqual(borne(10n ** 18n, 10n ** 17n, 3n * 10n ** 15n, 10n ** 15n, user), 7n * 10n ** 14n)
    assert.isUndefined(borne(10n ** 18n, 10n ** 6n, 3n * 10n ** 15n, 10n ** 15n, user))
    fc.assert(
      fc.property(
        units,
        units,
        fc.bigInt({ min: 10n ** 6n, max: 10n ** 20n }),
        fc.integer({ min: 0, max: 400 }),
        fc.constantFrom(user, stranger),
        (quoted, deposited, bound, percent, recipient) => {
          // The bound is three times what the gas was when it was quoted, and gas moves.
          borne(quoted, deposited, bound, (bound * BigInt(percent)) / 300n, recipient)
        }
      ),
      { numRuns: inputs(150, 40_000) }
    )
  })

  it("is attestable by our rule only if the judge signs for it, for any order, deposit, recipient and time", () => {
    const accounts = fc.constantFrom(user, stranger, elsewhere, sentinel)
    const option = fc.record({
      chainId: fc.constantFrom(base.slug, base.slug, other.slug),
      recipient: fc.constantFrom(user, stranger, elsewhere, sentinel, sentinel),
      currency: fc.constantFrom(native, native, token),
      minimumAmount: fc.oneof(units, fc.constant(0n)),
      deadline: fc.integer({ min: 0, max: 2 * DEADLINE })
    })
    const refunds = fc.record({
      chain: fc.constantFrom(base, base, base, other),
      currency: fc.constantFrom(native, native, native, token),
      recipient: accounts,
      depositor: accounts,
      deposited: units
    })
    const law = (
      quoted: bigint,
      options: ReadonlyArray<Partial<OrderRefund>>,
      refund: RefundInKind,
      percent: number,
      mintable: boolean,
      now: number,
      later: number
    ) => {
      const order = orderOf(quoted, quoted / 10n, options)
      const net = (refund.deposited * BigInt(percent)) / 100n
      const planned = planSettledRefund(order, refund, { mintable, net, now })
      if (planned._tag === "Unattestable") {
        assert.strictEqual(planned.amount, net)
        return planned._tag
      }
      assert.isTrue(
        mintable && now <= planned.notAfter && planned.amount > 0n && planned.amount <= refund.deposited
      )
      const index = refundOption(order, refund) ?? assert.fail("no option")
      const { deadline } = order.inputs[0]?.refunds[index] ?? assert.fail("no such option")
      assert.strictEqual(planned.notAfter, deadline - REFUND_MARGIN_SECONDS)
      // Signed in time, and mined whenever until the option ends.
      const mined = now + (later % (deadline - now + 1))
      const attested = judged(order, refund, planned.amount, index, mined)
      assert.isTrue(Result.isSuccess(attested), Result.isFailure(attested) ? attested.failure.message : "")
      assert.isTrue(Result.isFailure(judged(order, refund, planned.amount, index, deadline + 1)))
      return planned._tag
    }
    const whole = { ...kind, deposited: 10n ** 18n }
    assert.strictEqual(law(10n ** 18n, [], whole, 95, true, 1, DEADLINE), "Attestable")
    assert.strictEqual(law(10n ** 18n, [], whole, 95, false, 1, DEADLINE), "Unattestable")
    assert.strictEqual(law(10n ** 18n, [], whole, 95, true, DEADLINE, DEADLINE), "Unattestable")
    fc.assert(
      fc.property(
        units,
        fc.array(option, { maxLength: 3 }),
        refunds,
        fc.nat(100),
        fc.boolean(),
        fc.nat(2 * DEADLINE),
        fc.nat(),
        (...given) => void law(...given)
      ),
      { numRuns: inputs(2_000, 200_000) }
    )
  })

  it("uses the option that names its recipient, else the depositor's", () => {
    const order = orderOf(1_000n, 30n, [{ recipient: elsewhere, chainId: other.slug }, toDepositor])
    assert.strictEqual(refundOption(order, kind), 0)
    assert.strictEqual(refundOption(order, { ...kind, depositor: user }), 0)
    assert.strictEqual(refundOption(order, { ...kind, recipient: stranger }), 2)
    assert.isUndefined(refundOption(order, { ...kind, recipient: elsewhere }))
    assert.isUndefined(refundOption(order, { ...kind, chain: other }))
    assert.isUndefined(refundOption(order, { ...kind, currency: token }))
    // An order from an older quote.
    assert.isUndefined(refundOption(orderOf(1_000n, 30n), { ...kind, recipient: stranger }))
    // The sentinel stands for the depositor and is not an account.
    assert.isUndefined(refundOption(order, { ...kind, recipient: sentinel }))
  })

  it("is not subsidised when no oracle attests it: no refund of the order, too late, or an impossible mint", () => {
    const order = orderOf(1_000n, 30n)
    const refund = { ...kind, deposited: 100n }
    const facts = { ...onTime, net: 90n }
    const none = { _tag: "Unattestable", amount: 90n } as const
    assert.deepStrictEqual(planSettledRefund(order, { ...refund, recipient: stranger }, facts), none)
    assert.deepStrictEqual(planSettledRefund(order, { ...refund, chain: other }, facts), none)
    assert.deepStrictEqual(planSettledRefund(order, refund, { ...facts, mintable: false }), none)
    const notAfter = DEADLINE - REFUND_MARGIN_SECONDS
    assert.deepStrictEqual(planSettledRefund(order, refund, { ...facts, now: notAfter + 1 }), none)
    assert.deepStrictEqual(planSettledRefund(order, refund, { ...facts, now: notAfter }), {
      _tag: "Attestable",
      amount: 97n,
      notAfter
    })
    assert.deepStrictEqual(planSettledRefund(order, refund, { ...facts, net: 0n }), {
      _tag: "Unattestable",
      amount: 0n
    })
  })
})
