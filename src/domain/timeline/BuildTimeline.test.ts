/** Timelines of a few requests, as people read them. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { Hex32 } from "../encoding/Hex.ts"
import { TransactionId } from "../chain/TransactionId.ts"
import type { Status } from "../transfer/Status.ts"
import type { TimelineSource, TimelineEvent, TimelineRefundRecord, TimelinePayment } from "./TimelineRecord.ts"
import { endLines, stepLines } from "./TimelineText.ts"
import { buildTimeline } from "./BuildTimeline.ts"
import { alpha, beta, evmAddress } from "../quote/testing/Chains.ts"
import { records } from "./testing/Records.ts"

const [made] = fc.sample(records.filter(({ feeSponsorship }) => feeSponsorship === undefined), { seed: 7, numRuns: 1 })
const some = made ?? assert.fail("no record")
const at = 1_800_000_000

const word = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, "0")}`

const told = (
  states: ReadonlyArray<readonly [Status, number]>,
  changes: Partial<TimelineSource> = {}
): TimelineSource => {
  const events = states.map(([status, after]): TimelineEvent => ({ status, failReason: null, at: at * 1_000 + after }))
  const status = events.at(-1)?.status ?? "waiting"
  return {
    ...some,
    transfer: {
      ...some.transfer,
      status,
      failReason: null,
      quotedAt: at * 1_000,
      terms: { ...some.transfer.terms, amountIn: 10n ** 18n, amountOut: 9n * 10n ** 17n }
    },
    events,
    deposits: [],
    payments: [],
    refunds: [],
    settlements: [],
    chains: [alpha, beta],
    ...changes
  }
}

const depositAt = (n: number, seconds: number) => ({
  deposit: {
    onchainId: Hex32.make(word(n)),
    chainId: alpha.id,
    transactionId: TransactionId.make(word(100 + n)),
    index: 0,
    block: { height: 1n, hash: "0x", time: at + seconds },
    depositId: Hex32.make(word(9)),
    depositor: evmAddress("11"),
    sender: evmAddress("11"),
    currency: alpha.native.address,
    amount: 10n ** 18n
  }
})

const payment = (leg: string, of: number, changes: Partial<TimelinePayment> = {}): TimelinePayment => ({
  leg,
  onchainId: Hex32.make(word(of)),
  chainId: beta.id,
  transactionId: TransactionId.make(word(200 + of)),
  recipient: evmAddress("22"),
  currency: beta.native.address,
  amount: 9n * 10n ** 17n,
  state: "included",
  block: { height: 2n, hash: "0x", time: at + 30 },
  ...changes
})

const kinds = (record: TimelineSource) => buildTimeline(record).steps.map(({ kind }) => kind)
const usual = [["waiting", 0], ["pending", 2_000], ["submitted", 2_500], ["success", 4_000]] as const

describe("the timeline", () => {
  it("has a deposit before its consequences, although its block has a later second by another clock", () => {
    assert.deepStrictEqual(kinds(told(usual, { deposits: [depositAt(1, 20)], payments: [payment("fill", 1)] })), [
      "quoted",
      "deposit",
      "confirmed",
      "sent",
      "delivered"
    ])
    assert.deepStrictEqual(kinds(told(usual, { deposits: [depositAt(1, -20)], payments: [payment("fill", 1)] })), [
      "quoted",
      "deposit",
      "confirmed",
      "sent",
      "delivered"
    ])
  })

  it("shows what arrived instead of a swap that could not be made, and what would arrive before that is known", () => {
    const swapping = (fallback: object): TimelineSource => {
      const record = told(usual, { deposits: [depositAt(1, 1)] })
      const destinationSwap = {
        source: "s",
        currency: alpha.native.address,
        amountOut: 7n,
        minimumOut: 6n,
        ...fallback
      }
      return { ...record, transfer: { ...record.transfer, terms: { ...record.transfer.terms, destinationSwap } } }
    }
    const record = swapping({ fallback: true })
    const fill = payment("fill", 1, { state: "reverted" })
    const fallback = payment("fallback", 1, { transactionId: TransactionId.make(word(250)) })
    const timeline = buildTimeline({ ...record, payments: [fill, fallback] })
    const { amountFormatted, currency } = record.transfer.quote.details.currencyOut
    assert.strictEqual(
      timeline.explanation,
      `The exchange on beta could not be made: 0.9 ETH arrived there instead of ${amountFormatted} ${currency.symbol}.`
    )
    assert.deepStrictEqual([timeline.gets.text, timeline.steps.at(-1)?.transaction?.id, timeline.least.units], [
      "0.9",
      word(250),
      "6"
    ])
    assert.strictEqual(
      buildTimeline({ ...record, payments: [payment("fill", 1)] }).explanation,
      "The payment was made on beta."
    )
    assert.deepStrictEqual([timeline.otherwise, buildTimeline(swapping({})).otherwise], [
      "0.9 ETH do",
      "the deposit goes back"
    ])
    // A reverted payment has delivered nothing. A successful one has, whichever of the two it is.
    const states = (one: TimelinePayment["state"], other: TimelinePayment["state"]) =>
      buildTimeline({ ...record, payments: [{ ...fill, state: one }, { ...fallback, state: other }] }).steps.at(-1)
        ?.transaction?.id
    assert.deepStrictEqual([
      states("reverted", "signed"),
      states("included", "reverted"),
      states("reverted", "reverted")
    ], [word(250), word(201), word(250)])
  })

  it("shows a reorg, a delay, and a repeated state", () => {
    const states = [
      ["waiting", 0],
      ["depositing", 1_000],
      ["waiting", 5_000],
      ["depositing", 6_000],
      ["pending", 7_000],
      ["delayed", 8_000],
      ["pending", 9_000]
    ] as const
    const record = told(states, { deposits: [depositAt(1, 6)] })
    assert.deepStrictEqual(kinds(record), ["quoted", "deposit", "lost", "confirmed", "delayed", "confirmed"])
    assert.strictEqual(buildTimeline(record).live, "stream")
  })

  it("shows a further deposit being refunded after a success that stays, and waits for it", () => {
    const back = (state: TimelineRefundRecord["state"]): TimelineSource => {
      const { deposit } = depositAt(2, 40)
      const paid = payment(`refund:${deposit.onchainId}`, 2, {
        chainId: alpha.id,
        currency: alpha.native.address,
        amount: 10n ** 18n - 7n,
        block: state === "paid" ? { height: 9n, hash: "0x", time: at + 50 } : null
      })
      return told(usual, {
        deposits: [depositAt(1, 1), { deposit }],
        payments: [payment("fill", 1), paid],
        refunds: [{ kind: "deposit", state, reason: "DOUBLE_SPEND", deposit, amount: deposit.amount, payment: paid }]
      })
    }
    const going = buildTimeline(back("submitted"))
    assert.deepStrictEqual([going.status, going.live, going.next?.text], [
      "success",
      "poll",
      "A refund arrives on alpha"
    ])
    assert.deepStrictEqual(stepLines(going.steps.at(-1) ?? assert.fail()), [
      "  in no block yet          Being sent back on alpha  0.999999999999999993 ETH",
      `    ${word(202)}`
    ])
    const gone = buildTimeline(back("paid"))
    assert.deepStrictEqual([gone.live, gone.next, gone.steps.at(-1)?.kind], ["none", null, "refund"])
    assert.include(
      endLines(gone).join("\n"),
      "    The request was paid already: this is a further deposit for it.\n    of 1.0 ETH, less 0.000000000000000007 ETH for the gas of sending it"
    )
  })

  it("shows that a refund is held by the cap, not that it was too small, and the condition that it waits for", () => {
    const { deposit } = depositAt(2, 40)
    const held = (states: Parameters<typeof told>[0], others: Partial<TimelineSource> = {}) =>
      buildTimeline(
        told(states, {
          deposits: [{ deposit }],
          refunds: [{
            kind: "deposit",
            state: "held",
            reason: "INCORRECT_DEPOSIT_CURRENCY",
            deposit,
            amount: deposit.amount,
            payment: undefined
          }],
          ...others
        })
      )
    // The request's own refund, and a stranger's next to a success that stays.
    for (
      const timeline of [
        held([["waiting", 0], ["pending", 1_000], ["delayed", 2_000]]),
        held(usual, { payments: [payment("fill", 1)] })
      ]
    ) {
      assert.deepStrictEqual([timeline.refunds[0]?.state, timeline.next?.text], [
        "held",
        "The deposit on alpha goes back"
      ])
      assert.include(timeline.refunds[0]?.text, "held back by UNATTESTED_REFUNDS_USD")
      assert.notInclude(timeline.refunds[0]?.text, "gas")
      assert.include(timeline.next?.waitsFor, "UNATTESTED_REFUNDS_USD")
      assert.notStrictEqual(timeline.live, "none")
    }
    // While the payment itself is late, that is shown first.
    const late = held([["waiting", 0], ["pending", 1_000], ["delayed", 2_000]], { payments: [payment("fill", 1)] })
    assert.notInclude(late.next?.waitsFor, "UNATTESTED_REFUNDS_USD")
  })

  it("says why a transfer failed, and that no fee was charged", () => {
    const failed = told([["waiting", 0], ["pending", 1_000], ["failure", 2_000]], { deposits: [depositAt(1, 0)] })
    const timeline = buildTimeline({
      ...failed,
      transfer: { ...failed.transfer, failReason: "AMOUNT_TOO_LOW_TO_REFUND" },
      events: failed.events.map((event) => ({
        ...event,
        failReason: event.status === "failure" ? "AMOUNT_TOO_LOW_TO_REFUND" as const : null
      }))
    })
    assert.include(timeline.explanation, "not worth the gas")
    assert.strictEqual(
      timeline.steps.at(-1)?.text,
      "Neither paid nor sent back. The deposit is not worth the gas of sending it back."
    )
    assert.strictEqual(timeline.fees.basis, "none")
    assert.include(endLines(timeline), "Fees: None were charged: nothing was delivered.")
  })

  it("distinguishes a payment at the quoted price from one that was priced again", () => {
    const as = (amount: bigint) =>
      buildTimeline(told(usual, { deposits: [depositAt(1, 1)], payments: [payment("fill", 1, { amount })] })).fees.note
    assert.strictEqual(as(9n * 10n ** 17n), "As quoted, and so it was carried out.")
    assert.include(as(9n * 10n ** 17n - 1n), "priced anew")
  })

  it("names an unconfigured currency by its address, in smallest units, and a chain by its number", () => {
    const { deposit } = depositAt(1, 1)
    const record = told(usual, {
      deposits: [{ deposit: { ...deposit, amount: 12n } }],
      payments: [payment("fill", 1)],
      chains: [beta]
    })
    const step = buildTimeline(record).steps.find(({ kind }) => kind === "deposit")
    assert.deepStrictEqual([step?.chain?.name, step?.amount?.text, step?.amount?.symbol], [
      "chain 1",
      "12",
      `of ${alpha.native.address}`
    ])
  })

  it("links transactions where the configuration names an explorer, and only there", () => {
    const links = (explorerUrl: string | undefined) =>
      buildTimeline(
        told(usual, {
          deposits: [depositAt(1, 1)],
          payments: [payment("fill", 1)],
          chains: [{ ...alpha, explorerUrl }, beta]
        })
      ).steps.flatMap(({ transaction }) => transaction?.url ?? [])
    assert.deepStrictEqual(links("https://explorer.example/"), [`https://explorer.example/tx/${word(101)}`])
    for (const none of [undefined, "javascript:alert(1)", "https://x\"y"]) assert.deepStrictEqual(links(none), [])
  })

  it("asks for a payment while a deposit address waits, and for no second one after a reorg", () => {
    const depositAddress = { address: evmAddress("dd"), mode: "open", depositor: evmAddress("11") } as const
    const waiting = (states: Parameters<typeof told>[0], changes: Partial<TimelineSource> = {}) => {
      const record = told(states, changes)
      return buildTimeline({
        ...record,
        transfer: { ...record.transfer, terms: { ...record.transfer.terms, depositAddress } }
      }).payment
    }
    const asked = waiting([["waiting", 0]])
    assert.deepStrictEqual([asked?.uri, asked?.amount.text, asked?.chain.name], [
      `ethereum:${depositAddress.address}@1?value=1000000000000000000`,
      "1.0",
      "alpha"
    ])
    // A chain whose family has no URI gets the plain address.
    const { paymentUri: _, ...plain } = alpha.family
    assert.strictEqual(
      waiting([["waiting", 0]], { chains: [{ ...alpha, family: plain }, beta] })?.uri,
      depositAddress.address
    )
    for (
      const seen of [
        waiting([["waiting", 0], ["depositing", 1_000], ["waiting", 2_000]]),
        waiting([["waiting", 0]], { deposits: [depositAt(1, 1)] }),
        waiting(usual, { deposits: [depositAt(1, 1)], payments: [payment("fill", 1)] }),
        buildTimeline(told([["waiting", 0]])).payment
      ]
    ) assert.isNull(seen)
  })

  it("shows how far the deposit is settled, with a link where there is one hub", () => {
    const settlements = [{
      deposit: Hex32.make(word(1)),
      state: "settled",
      transactionId: TransactionId.make(word(400))
    }] as const
    const hub = { ...beta, gate: evmAddress("9a"), explorerUrl: "https://explorer.example" }
    const of = (chains: TimelineSource["chains"]) =>
      buildTimeline(told(usual, { deposits: [depositAt(1, 1)], payments: [payment("fill", 1)], settlements, chains }))
        .settlements
        .map(({ deposit, text, transaction }) => [text, deposit.id, transaction?.url])
    assert.deepStrictEqual(of([alpha, hub]), [
      ["Settled on the hub", word(101), `https://explorer.example/tx/${word(400)}`]
    ])
    assert.deepStrictEqual(of([{ ...alpha, gate: evmAddress("9b"), explorerUrl: hub.explorerUrl }, hub]), [[
      "Settled on the hub",
      word(101),
      null
    ]])
  })
})
