/**
 * The rules of sponsorship (SPONSOR-1, SPONSOR-14), each run against a real host and compared with its page in
 * docs/scenarios. `SCENARIOS=write` writes the pages instead.
 */
import { layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { comparePage } from "./testing/Page.ts"
import type { Run, Scenario } from "./testing/Page.ts"
import { perform, performSigned, refuse, startScenarios } from "./testing/Fixture.ts"
import type { Play, Refusal, Fixture } from "./testing/Fixture.ts"

class Running extends Context.Service<Running, Fixture>()("test/Scenarios") {
  static readonly layer = Layer.effect(Running, startScenarios())
}

const fee = (recipient: string) => ({ recipient: `0x${recipient.repeat(20)}`, fee: "30" })

interface Rule extends Scenario {
  readonly plays: ReadonlyArray<Play>
  /** Questions that are refused, before the plays. */
  readonly refusals?: ReadonlyArray<Refusal>
}

const scenarios: ReadonlyArray<Rule> = [
  {
    file: "rule-1-the-sponsor-pays-all-fees",
    title: "Rule 1: the sponsor pays all destination fees",
    rule:
      "When subsidizeFees is true, the sponsor pays all destination fees, including gas topup amounts, from the app balance associated with the API key.",
    shows:
      "The recipient gets the whole amount. What the fees really were leaves the app balance of the key's wallet, at most what was quoted. (With a gas topup: [here](rule-1-gas-topups.md).)",
    plays: [{
      what: "Everything sponsored",
      user: 0,
      keyed: true,
      to: "USDC",
      ask: { amount: "100000000", subsidizeFees: true }
    }]
  },
  {
    file: "rule-2-the-cap",
    title: "Rule 2: the cap",
    rule:
      "When total fees are at or below maxSubsidizationAmount the sponsor pays all; when above, the sponsor pays the cap and the user pays the remainder.",
    shows:
      "The same transfer twice. With a cap of twenty dollars the fees are below it and the sponsor pays them; with a cap of five the sponsor pays five dollars and the user the rest.",
    plays: [
      {
        what: "Fees below the cap",
        user: 1,
        keyed: true,
        to: "USDT",
        ask: { amount: "10000000000", subsidizeFees: true, maxSubsidizationAmount: "20000000" }
      },
      {
        what: "Fees above the cap",
        user: 2,
        keyed: true,
        to: "USDT",
        ask: { amount: "10000000000", subsidizeFees: true, maxSubsidizationAmount: "5000000" }
      }
    ]
  },
  {
    file: "rule-3-the-components",
    title: "Rule 3: which components",
    rule:
      "When sponsoredFeeComponents is omitted the components execution, swap, the service and app are sponsored; rent stays user-paid unless selected.",
    shows:
      "Omitted, four components are selected; listed, only those that are listed; with subsidizeRent, rent as well. (Between EVM chains no rent is due, so that it is selected and costs nothing; on Solana it is: [rule 5](rule-5-rent.md).)",
    plays: [
      { what: "Omitted", user: 3, keyed: true, to: "USDT", ask: { amount: "1000000000", subsidizeFees: true } },
      {
        what: "Only execution and the service",
        user: 4,
        keyed: true,
        to: "USDT",
        ask: { amount: "1000000000", subsidizeFees: true, sponsoredFeeComponents: ["execution", "service"] }
      },
      {
        what: "Rent as well",
        user: 5,
        keyed: true,
        to: "USDT",
        ask: { amount: "1000000000", subsidizeFees: true, subsidizeRent: true }
      }
    ]
  },
  {
    file: "rule-8-app-fees",
    title: "Rule 8: app fees are not deducted from the sponsor balance",
    rule: "App fees are not deducted from the sponsor balance; they accrue to their own recipients.",
    shows:
      "An app fee that the user pays accrues to its recipient, who may claim it. One that the sponsor took over is not charged to the user and not taken off the app balance: the sponsor owes it (`Receivable`), and its recipient waits for it (`AppFeePending`) until the sponsor has paid.",
    plays: [
      {
        what: "The user pays the app fee",
        user: 6,
        keyed: true,
        to: "USDC",
        ask: {
          amount: "100000000",
          subsidizeFees: true,
          sponsoredFeeComponents: ["execution", "swap", "service"],
          appFees: [fee("a1")]
        }
      },
      {
        what: "The sponsor takes the app fee over",
        user: 7,
        keyed: true,
        to: "USDC",
        ask: { amount: "100000000", subsidizeFees: true, appFees: [fee("a2")] }
      }
    ]
  },
  {
    file: "subsidize-rent-alone",
    title: "subsidizeRent alone sponsors nothing",
    rule: "subsidizeRent without subsidizeFees sponsors nothing.",
    shows:
      "No key is needed, the user pays all fees, and the ledger stays as it was. (Where rent is due: [rule 5](rule-5-rent.md).)",
    plays: [{
      what: "subsidizeRent without subsidizeFees",
      user: 8,
      keyed: false,
      to: "USDC",
      ask: { amount: "100000000", subsidizeRent: true }
    }]
  },
  {
    file: "rule-4-deposit-addresses",
    title: "Rule 4: sponsored deposit addresses",
    rule:
      "Deposit-address requests do not support sponsoredFeeComponents. They support maxSubsidizationAmount, but when the fees exceed it the user pays everything and nothing is subsidized.",
    shows:
      "A selection is refused. With a cap of twenty dollars the fees are below it and the sponsor pays them all. With a cap of five they are above it: the sponsor pays nothing and the user pays everything. (Without a deposit address the sponsor would pay five dollars of the same transfer: [rule 2](rule-2-the-cap.md).)",
    refusals: [{
      what: "A selection of components",
      user: 9,
      keyed: true,
      to: "USDT",
      ask: { amount: "10000000000", subsidizeFees: true, sponsoredFeeComponents: ["execution"] }
    }],
    plays: [
      {
        what: "Fees below the cap",
        user: 9,
        keyed: true,
        to: "USDT",
        ask: { amount: "10000000000", subsidizeFees: true, maxSubsidizationAmount: "20000000" },
        address: { sent: 10_000_000_000n, ends: "success" }
      },
      {
        what: "Fees above the cap",
        user: 10,
        keyed: true,
        to: "USDT",
        ask: { amount: "10000000000", subsidizeFees: true, maxSubsidizationAmount: "5000000" },
        address: { sent: 10_000_000_000n, ends: "success" }
      }
    ]
  },
  {
    file: "rule-9-the-first-approval",
    title: "Rule 9: the first approval is the user's",
    rule: "With usePermit the first approval transaction is not sponsored; later requests are.",
    shows:
      "USDT has no permits of its own, so that Permit2 has to be approved once, in a transaction of the user's, whose gas the user's wallet pays. The step asks for exactly the amount; this user lets Permit2 have more for the second request, by itself. From then on the user only signs. All destination fees are the sponsor's in both; the gas of submitting what was signed is part of `execution` and stays the user's, out of what it deposits.",
    plays: [
      {
        what: "The first request",
        user: 14,
        keyed: true,
        to: "USDT",
        ask: { amount: "100000000", subsidizeFees: true, usePermit: true },
        permit: { approved: 0n }
      },
      {
        what: "A later one, which the approval covers",
        user: 14,
        keyed: true,
        to: "USDT",
        ask: { amount: "100000000", subsidizeFees: true, usePermit: true },
        permit: { approved: 500_000_000n }
      }
    ]
  },
  {
    file: "rule-10-strict-deposit-addresses",
    title: "Rule 10: strict deposit addresses",
    rule:
      "In a strict deposit-address request an underpayment fails and is refunded; an exact payment fills; an overpayment fills the quoted amount and the excess is refunded separately.",
    shows:
      "The same quote three times. Of a payment that is one unit short nothing is filled, and it goes back less the gas of the refund and of the sweep before it. The exact amount is filled as quoted. Of half as much again the quoted amount is filled as quoted, and the rest goes back less its gas, in a leg of its own; the request is a success all the same. Refunds are paid by the solver: what was deposited is its own once the hub has settled it.",
    plays: [
      {
        what: "One unit less",
        user: 11,
        keyed: false,
        to: "USDC",
        ask: { amount: "100000000", strict: true },
        address: { sent: 99_999_999n, ends: "refund" }
      },
      {
        what: "The exact amount",
        user: 12,
        keyed: false,
        to: "USDC",
        ask: { amount: "100000000", strict: true },
        address: { sent: 100_000_000n, ends: "success" }
      },
      {
        what: "More",
        user: 13,
        keyed: false,
        to: "USDC",
        ask: { amount: "100000000", strict: true },
        address: { sent: 150_000_000n, ends: "success" }
      }
    ]
  },
  {
    file: "rule-1-gas-topups",
    title: "Rule 1: gas topups",
    rule:
      "When subsidizeFees is true, the sponsor pays all destination fees, including gas topup amounts, from the app balance associated with the API key.",
    shows:
      "The recipient gets two dollars of the destination's native currency with the output, in the one transaction of the fill. They are part of `execution`: the user pays them without a sponsor, and nothing with one. The solver's vault pays, so that both come at once.",
    plays: [
      { what: "The user pays", user: 15, keyed: false, to: "USDC", ask: { amount: "100000000", topupGas: true } },
      {
        what: "The sponsor pays",
        user: 16,
        keyed: true,
        to: "USDC",
        ask: { amount: "100000000", topupGas: true, subsidizeFees: true }
      }
    ]
  }
]

const run: Run = {
  suite: import.meta.filename,
  amounts: "Amounts are whole USDC or USDT, one of which is one dollar there."
}

layer(Running.layer, { excludeTestServices: true })("the scenarios of docs/scenarios", (it) => {
  for (const scenario of scenarios) {
    it.effect(scenario.title, () =>
      Effect.gen(function*() {
        const fixture = yield* Running
        const played = yield* Effect.forEach(scenario.plays, (play) =>
          play.permit === undefined ? perform(fixture, play) : performSigned(fixture, { ...play, permit: play.permit }))
        const refused = yield* Effect.forEach(scenario.refusals ?? [], (play) =>
          refuse(fixture, play))
        yield* comparePage(run, scenario, played, refused)
      }))
  }
})
