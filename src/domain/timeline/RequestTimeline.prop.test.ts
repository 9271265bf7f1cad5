import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { formatDecimal, parseDecimal } from "../money/Decimal.ts"
import { isTerminal, Status } from "../transfer/Status.ts"
import { amountText, durationText, roundedText, thousandths, usdText, utcText, visible } from "./DisplayText.ts"
import { RequestTimeline } from "./RequestTimeline.ts"
import type { TimelineAmount, TimelineFee } from "./RequestTimeline.ts"
import { endLines, headLines, nextLine, stepLines } from "./TimelineText.ts"
import { buildTimeline } from "./BuildTimeline.ts"
import { records, recordsIn, secrets } from "./testing/Records.ts"

const runs = () => ({ numRuns: inputs(200, 2_000) })
const units = ({ units }: TimelineAmount): bigint => BigInt(units)
const sum = (parts: ReadonlyArray<TimelineFee>, of: (part: TimelineFee) => TimelineAmount): bigint =>
  parts.reduce((all, part) => all + units(of(part)), 0n)

describe("a timeline", () => {
  it.each(Status.literals)("has an entry for every record, in its own shape and not empty: %s", (status) => {
    fc.assert(
      fc.property(recordsIn(status), (told) => {
        const timeline = buildTimeline(told)
        assert.deepStrictEqual(
          Schema.decodeUnknownSync(RequestTimeline)(JSON.parse(JSON.stringify(timeline))),
          JSON.parse(JSON.stringify(timeline))
        )
        assert.isTrue(
          timeline.headline !== "" && timeline.explanation !== "" && timeline.steps.every(({ text }) => text !== "")
        )
        assert.strictEqual(timeline.live === "stream", !isTerminal(timeline.status))
        assert.strictEqual(timeline.live === "none", timeline.next === null)
        assert.strictEqual(timeline.status, status)
      }),
      { numRuns: inputs(40, 400) }
    )
  })

  it("has fees whose parts add up, whose sender's and sponsor's shares are complete, and which equal the quote's", () => {
    fc.assert(
      fc.property(records, (told) => {
        const { fees } = buildTimeline(told)
        for (const part of [fees, ...fees.parts]) {
          assert.strictEqual(units(part.sender) + units(part.sponsor), units(part.total))
        }
        assert.strictEqual(
          sum(fees.parts, ({ total }) => total),
          units(fees.total)
        )
        assert.strictEqual(sum(fees.parts, ({ sender }) => sender), units(fees.sender))
        assert.strictEqual(sum(fees.parts, ({ sponsor }) => sponsor), units(fees.sponsor))
        const { app, relayer, subsidized } = told.transfer.quote.fees
        assert.strictEqual(units(fees.total), BigInt(relayer.amount) + BigInt(app.amount))
        assert.strictEqual(units(fees.sponsor), BigInt(subsidized.amount))
        for (const part of fees.parts) {
          const shares = [part.sender, part.sponsor].map((amount) => thousandths(amount, units(fees.total)))
          assert.isTrue(shares.every((share) => share >= 0 && share <= 1_000))
        }
      }),
      runs()
    )
  })

  it("has exact amounts, whose texts are their units", () => {
    fc.assert(
      fc.property(records, (told) => {
        const { currencyIn, currencyOut } = told.transfer.quote.details
        const { fees, gets, gives, least } = buildTimeline(told)
        for (
          const [amount, decimals] of [[gives, currencyIn], [gets, currencyOut], [least, currencyOut], [
            fees.total,
            currencyIn
          ]] as const
        ) {
          // The text always has a fraction, even for a currency without decimals.
          assert.strictEqual(
            Result.getOrThrow(parseDecimal(amount.text, decimals.currency.decimals + 1)),
            10n * units(amount)
          )
          assert.match(usdText(amount) ?? "$0.00", /^-?\$\d+\.\d{2,6}$/u)
        }
        for (const { amount, gas, refunded } of buildTimeline(told).refunds) {
          if (gas !== null && refunded !== null) assert.strictEqual(units(gas) + units(refunded), units(amount))
        }
        if (gives.units === currencyIn.amount) assert.strictEqual(gives.usd, currencyIn.amountUsd)
      }),
      runs()
    )
  })

  it("begins with the quote, and has consequences of a deposit after it", () => {
    fc.assert(
      fc.property(records, (told) => {
        const { status, steps } = buildTimeline(told)
        const kinds = steps.map(({ kind }) => kind)
        assert.strictEqual(kinds[0], "quoted")
        if (status === "success") {
          assert.isTrue(kinds.includes("delivered") && kinds.indexOf("deposit") < kinds.indexOf("delivered"))
          assert.strictEqual(
            steps.find(({ kind }) => kind === "delivered")?.transaction?.id,
            told.payments[0]?.transactionId
          )
        }
        if (status === "refund") assert.isTrue(kinds.lastIndexOf("refund") > kinds.indexOf("deposit"))
        if (status === "failure") assert.include(kinds, "failed")
        assert.strictEqual(kinds.filter((kind) => kind === "deposit").length, told.deposits.length)
      }),
      runs()
    )
  })

  it("contains only public data", () => {
    fc.assert(
      fc.property(records, (told) => {
        const text = JSON.stringify(buildTimeline(told))
        for (const secret of Object.values(secrets)) assert.notInclude(text, secret)
      }),
      runs()
    )
  })

  it("links only web pages, and only the transaction's", () => {
    fc.assert(
      fc.property(records, (told) => {
        for (const { transaction } of buildTimeline(told).steps) {
          if (transaction?.url != null) assert.match(transaction.url, /^https?:\/\/[^\s"'<>\\]+\/tx\/0x[0-9a-f]{64}$/iu)
        }
      }),
      runs()
    )
  })

  it("is text for a terminal: one line for each line, and no control characters", () => {
    fc.assert(
      fc.property(records, (told) => {
        const timeline = buildTimeline(told)
        const next = nextLine(timeline)
        for (
          const line of [
            ...headLines(timeline),
            ...timeline.steps.flatMap(stepLines),
            ...endLines(timeline),
            ...(next === undefined ? [] : [next])
          ]
        ) {
          assert.notMatch(line, /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u)
          assert.isTrue(line.isWellFormed())
        }
        assert.strictEqual(amountText(timeline.gives), visible(amountText(timeline.gives)))
      }),
      runs()
    )
  })
})

describe("amounts and times for people", () => {
  it("are cents from a dollar on, and exact below", () => {
    const texts = ["249.998123", "1.000000", "0.087840", "0.000001", "0.000000", "-0.050000", "-12.345678"].map((usd) =>
      usdText({ units: "1", text: "1.0", symbol: "X", usd })
    )
    assert.deepStrictEqual(texts, ["$249.99", "$1.00", "$0.08784", "$0.000001", "$0.00", "-$0.05", "-$12.34"])
    assert.isUndefined(usdText({ units: "1", text: "1.0", symbol: "X", usd: null }))
  })

  it("are cut to six significant digits, never up, and marked where digits are missing", () => {
    assert.deepStrictEqual(
      [
        "1.0",
        "0.1",
        "123456.7",
        "0.000034736000374304",
        "0.99965263999625696",
        "1234567.8",
        "-1.2345678",
        "0.0",
        "1200"
      ]
        .map(roundedText),
      ["1", "0.1", "123456…", "0.0000347360…", "0.999652…", "1234567…", "-1.23456…", "0", "1200"]
    )
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 40n }), fc.integer({ min: 1, max: 36 }), (units, decimals) => {
        const text = formatDecimal(units, decimals, 1)
        const cut = roundedText(text)
        if (!cut.endsWith("…")) {
          assert.notMatch(cut, /\.0*$/u)
          return assert.strictEqual(Result.getOrThrow(parseDecimal(cut, decimals)), units)
        }
        const digits = cut.slice(0, -1)
        assert.isTrue(text.startsWith(digits))
        // What is missing is less than one of the last digit that is shown.
        const [, fraction = ""] = digits.split(".")
        assert.isTrue(
          units - Result.getOrThrow(parseDecimal(digits, decimals)) < 10n ** BigInt(decimals - fraction.length)
        )
        const significant = digits.replace(".", "").replace(/^0+/u, "")
        assert.isTrue(significant.length <= 6 || fraction === "")
      }),
      { numRuns: inputs(2_000, 50_000) }
    )
  })

  it("are durations in their two largest units", () => {
    assert.deepStrictEqual(
      [0, 999, 1_000, 59_999, 60_000, 185_000, 3_600_000, 7_805_000, 356_400_000].map(durationText),
      ["under 1 s", "under 1 s", "1 s", "59 s", "1 min", "3 min 5 s", "1 h", "2 h 10 min", "4 d 3 h"]
    )
  })

  it("are times of UTC", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_102_444_800_000 }), (at) => {
        assert.strictEqual(utcText(at), `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC`)
      }),
      { numRuns: inputs(500, 20_000) }
    )
  })
})
