import { assert, describe, it } from "@effect/vitest"
import { Address, CurrencyAddress } from "../../chain/Address.ts"
import { ChainId } from "../../chain/ChainId.ts"
import { Hex32 } from "../../encoding/Hex.ts"
import { TransactionId } from "../../chain/TransactionId.ts"
import { OrderId } from "../../order/Order.ts"
import { transferOf } from "../../permit/testing/PermitTransfers.ts"
import type { Deposit } from "../deposit/Deposit.ts"
import { purposeOfPayment } from "./PurposeOfPayment.ts"
import type { Filled, PaidOut, PaidReturns } from "./PurposeOfPayment.ts"
import type { Transfer, TransferTerms } from "../Transfer.ts"

const word = (n: number) => Hex32.make(`0x${n.toString(16).padStart(64, "0")}`)
const user = Address.make("0x00000000000000000000000000000000000000a1")
const stranger = Address.make("0x00000000000000000000000000000000000000b2")
const recipient = Address.make("0x00000000000000000000000000000000000000c3")
const native = CurrencyAddress.make("0x0000000000000000000000000000000000000000")
const [alpha, beta] = [ChainId.make(1), ChainId.make(2)]

// Only these fields of a transfer determine the purpose of a payment.
const orderId = OrderId.make(word(99))
const quoted = (terms: Partial<TransferTerms> = {}) =>
  transferOf({
    originChainId: alpha,
    originCurrency: native,
    destinationChainId: beta,
    destinationCurrency: native,
    user,
    recipient,
    refundTo: user,
    amountIn: 1000n,
    amountOut: 900n,
    minimumOut: 880n,
    ...terms
  }, { orderId })
const transfer = quoted()
const swap = { source: "s", currency: native, amountOut: 7n, minimumOut: 7n }

const deposit = (n: number, changes: Partial<Deposit> = {}): Deposit => ({
  onchainId: word(n),
  chainId: alpha,
  transactionId: TransactionId.make(word(n)),
  index: 0,
  block: { height: 1n, hash: "0x", time: 1 },
  depositId: word(99),
  depositor: user,
  sender: user,
  currency: native,
  amount: 1000n,
  ...changes
})

const purposeOf = (
  of: Transfer,
  unrefunded: ReadonlyArray<Deposit>,
  out: PaidOut,
  filled: Filled = "unknown",
  { answered = [], excesses = [], isDelivered = false }: {
    answered?: PaidReturns["answered"]
    excesses?: ReadonlyArray<Hex32>
    isDelivered?: boolean
  } = {}
) => purposeOfPayment(of, { isDelivered, unrefunded, excesses: new Set(excesses), answered }, out, filled)

const paid = (chainId: ChainId, to: Address, amount: bigint) => ({ chainId, recipient: to, currency: native, amount })

describe("the purpose of a payment that was found on a chain", () => {
  it("is the fill when it pays the recipient on the destination; the first deposit that could claim it did", () => {
    assert.deepStrictEqual(purposeOf(transfer, [deposit(1), deposit(2)], paid(beta, recipient, 900n)), {
      _tag: "Fill",
      deposit: word(1)
    })
    assert.deepStrictEqual(purposeOf(transfer, [], paid(beta, recipient, 900n)), { _tag: "Fill", deposit: orderId })
  })

  it("is the fill of the deposit whose amount is nearest, not of dust that came before", () => {
    const filled = (amounts: ReadonlyArray<bigint>, out: bigint) =>
      purposeOf(transfer, amounts.map((amount, nth) => deposit(nth, { amount })), paid(beta, recipient, out))?.deposit
    assert.strictEqual(filled([1n, 1000n], 900n), word(1))
    assert.strictEqual(filled([1000n, 1n, 1000n], 900n), word(0))
    assert.strictEqual(filled([1000n, 2000n], 1800n), word(1))
    assert.strictEqual(filled([500n, 1000n], 890n), word(1))
    // A deposit that it does not fit has not been filled by it, also when no other one is known (RESTORE-5).
    assert.strictEqual(filled([1n], 900n), orderId)
    assert.strictEqual(filled([900n], 900n), orderId)
    assert.strictEqual(filled([10_000n], 890n), orderId)
    assert.strictEqual(filled([900n], 890n), word(0))
  })

  it("is the refund of the other deposit when one of two equal ones was filled", () => {
    const refund = paid(alpha, user, 990n)
    for (const [filled, refunded] of [[1, 2], [2, 1]] as const) {
      assert.deepStrictEqual(purposeOf(transfer, [deposit(1), deposit(2)], refund, word(filled)), {
        _tag: "Refund",
        deposit: word(refunded)
      })
    }
    // A fill that was lost has its own deposit refunded.
    assert.deepStrictEqual(purposeOf(transfer, [deposit(1)], refund, word(1)), { _tag: "Refund", deposit: word(1) })
  })

  it("is the refund of the smallest deposit that covers it", () => {
    const deposits = [deposit(1, { amount: 5000n }), deposit(2, { amount: 1000n }), deposit(3, { amount: 500n })]
    assert.deepStrictEqual(purposeOf(transfer, deposits, paid(alpha, user, 990n)), {
      _tag: "Refund",
      deposit: word(2)
    })
    assert.deepStrictEqual(purposeOf(transfer, deposits, paid(alpha, user, 4990n)), {
      _tag: "Refund",
      deposit: word(1)
    })
    const strange = [deposit(1), deposit(2, { sender: stranger, depositor: stranger })]
    assert.deepStrictEqual(purposeOf(transfer, strange, paid(alpha, stranger, 990n)), {
      _tag: "Refund",
      deposit: word(2)
    })
  })

  it("of an order whose fill swaps is the fill only with its calls, the fallback when the vault paid, and otherwise a refund", () => {
    // Within one chain, and refunded to the recipient: recipient and currency do not show the purpose.
    const swapping = (fallback: { readonly fallback?: true }) =>
      quoted({
        destinationChainId: alpha,
        refundTo: recipient,
        user: recipient,
        destinationSwap: { ...swap, ...fallback }
      })
    const of = (through: PaidOut["through"], fallback: object = { fallback: true }) =>
      purposeOf(swapping(fallback), [deposit(1, { sender: recipient })], {
        ...paid(alpha, recipient, 900n),
        ...(through === undefined ? {} : { through })
      })?._tag
    assert.deepStrictEqual([of("calls"), of("vault"), of(undefined), of("vault", {})], [
      "Fill",
      "Fallback",
      "Refund",
      "Refund"
    ])
  })

  it("of an order whose fill swaps by a route is the fill with that, and the fallback when the account paid plainly", () => {
    const swapping = (fallback: { readonly fallback?: true }) =>
      quoted({ destinationSwap: { ...swap, route: {}, ...fallback } })
    const of = (through: PaidOut["through"], fallback: object = { fallback: true }) =>
      purposeOf(swapping(fallback), [deposit(1)], {
        ...paid(beta, recipient, 900n),
        ...(through === undefined ? {} : { through })
      })?._tag
    assert.deepStrictEqual([of("calls"), of(undefined), of("vault"), of(undefined, {})], [
      "Fill",
      "Fallback",
      undefined,
      undefined
    ])
  })

  it("is unknown when it paid no recipient of the order", () => {
    assert.isUndefined(purposeOf(transfer, [deposit(1)], paid(alpha, recipient, 990n)))
    assert.isUndefined(purposeOf(transfer, [deposit(1)], paid(alpha, user, 1001n)))
  })

  it("between a fill and the refund of a deposit on the wrong chain is decided by the promised amounts", () => {
    const wrong = deposit(2, { chainId: beta, depositor: recipient })
    assert.deepStrictEqual(purposeOf(transfer, [deposit(1), wrong], paid(beta, recipient, 900n)), {
      _tag: "Fill",
      deposit: word(1)
    })
    assert.deepStrictEqual(purposeOf(transfer, [deposit(1), wrong], paid(beta, recipient, 870n)), {
      _tag: "Refund",
      deposit: word(2)
    })
    assert.deepStrictEqual(purposeOf(transfer, [wrong], paid(beta, recipient, 990n)), {
      _tag: "Refund",
      deposit: word(2)
    })
    // The fill is known: of two payments of almost the same amount the other one is the refund.
    const known = { isDelivered: true }
    assert.deepStrictEqual(purposeOf(transfer, [deposit(1), wrong], paid(beta, recipient, 900n), word(1), known), {
      _tag: "Refund",
      deposit: word(2)
    })
  })

  const strict = (mode: "open" | "strict" = "strict") =>
    ({
      orderId,
      terms: { ...transfer.terms, amountIn: 1000n, depositAddress: { address: stranger, mode, depositor: user } }
    }) as Transfer

  it("is the excess when it covers the amount of a filled deposit at a strict address above the quote", () => {
    const deposits = [deposit(1, { amount: 1050n }), deposit(2, { amount: 1000n })]
    const excess = { _tag: "Excess", deposit: word(1) } as const
    const refund = { _tag: "Refund", deposit: word(1) } as const
    assert.deepStrictEqual(purposeOf(strict(), deposits, paid(alpha, user, 50n), word(1)), excess)
    assert.deepStrictEqual(purposeOf(strict(), deposits, paid(alpha, user, 45n)), excess)
    // A fill that no known deposit has claimed belongs to whichever deposit did.
    assert.deepStrictEqual(purposeOf(strict(), deposits, paid(alpha, user, 45n), orderId), excess)
    assert.deepStrictEqual(purposeOf(strict(), deposits, paid(alpha, user, 51n), word(1)), {
      _tag: "Refund",
      deposit: word(2)
    })
    assert.deepStrictEqual(purposeOf(strict(), deposits, paid(alpha, user, 1001n), word(1)), refund)
    // At an open address the whole deposit is filled, so there is no excess. The payment can only be a refund.
    assert.deepStrictEqual(purposeOf(strict("open"), deposits, paid(alpha, user, 45n), word(1)), {
      _tag: "Refund",
      deposit: word(2)
    })
    assert.isUndefined(purposeOf(strict(), deposits, paid(alpha, stranger, 45n), word(1)))
  })

  it("is the refund of another deposit when the excess of the same amount is paid", () => {
    const deposits = [deposit(1, { amount: 2000n }), deposit(2, { amount: 1000n })]
    assert.deepStrictEqual(purposeOf(strict(), deposits, paid(alpha, user, 990n), word(1)), {
      _tag: "Excess",
      deposit: word(1)
    })
    assert.deepStrictEqual(purposeOf(strict(), deposits, paid(alpha, user, 990n), word(1), { excesses: [word(1)] }), {
      _tag: "Refund",
      deposit: word(2)
    })
  })

  it("is the refund of a deposit that was not filled, whatever it had above the quoted amount", () => {
    const deposits = [deposit(1, { amount: 1050n })]
    assert.deepStrictEqual(
      purposeOfPayment(
        strict(),
        { isDelivered: false, unrefunded: deposits, excesses: new Set(), answered: [] },
        paid(alpha, user, 45n),
        undefined
      ),
      {
        _tag: "Refund",
        deposit: word(1)
      }
    )
    assert.deepStrictEqual(purposeOf(strict(), deposits, paid(alpha, user, 45n), word(9)), {
      _tag: "Refund",
      deposit: word(1)
    })
  })

  it("is the smaller of two possible refunds: an excess, or a second deposit", () => {
    const deposits = [deposit(1, { amount: 1050n }), deposit(2, { amount: 20n })]
    assert.deepStrictEqual(purposeOf(strict(), deposits, paid(alpha, user, 19n), word(1)), {
      _tag: "Refund",
      deposit: word(2)
    })
    assert.deepStrictEqual(purposeOf(strict(), deposits, paid(alpha, user, 49n), word(1)), {
      _tag: "Excess",
      deposit: word(1)
    })
  })

  it("is the excess of a deposit that came back with more than its known payment was made for (REFUND-9)", () => {
    const back = deposit(1, { amount: 1500n })
    const fill = { leg: "fill", chainId: beta, currency: native, deposited: 1000n } as const
    const refund = { ...fill, leg: `refund:${back.onchainId}`, chainId: alpha } as const
    for (const [payment, unrefunded] of [[fill, [back]], [refund, []]] as const) {
      const known = (deposited: bigint) => ({
        isDelivered: payment === fill,
        answered: [{ deposit: back, payments: [{ ...payment, deposited }] }]
      })
      const filled = payment === fill ? back.onchainId : undefined
      const purpose = (amount: bigint, deposited = 1000n) =>
        purposeOf(transfer, unrefunded, paid(alpha, user, amount), filled, known(deposited))
      assert.deepStrictEqual(purpose(490n), { _tag: "Excess", deposit: back.onchainId })
      assert.notStrictEqual(purpose(501n)?._tag, "Excess")
      assert.notStrictEqual(purpose(490n, 1500n)?._tag, "Excess")
    }
  })
})
