/**
 * The rules of sponsorship (spec/1 §4.2.1), each played against a real host and compared with its page in docs/scenarios.
 * `SCENARIOS=write` writes the pages instead.
 */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { page } from "./testing/Page.ts"
import type { Scenario } from "./testing/Page.ts"
import { perform, startStage } from "./testing/Stage.ts"

class Running extends Context.Service<Running, Effect.Success<typeof startStage>>()("test/Scenarios") {
  static readonly layer = Layer.effect(Running, startStage)
}

const fee = (recipient: string) => ({ recipient: `0x${recipient.repeat(20)}`, fee: "30" })

const scenarios: ReadonlyArray<Scenario> = [
  {
    file: "rule-1-the-sponsor-pays-all-fees",
    title: "Rule 1: the sponsor pays all destination fees",
    rule: "When subsidizeFees is true, the sponsor pays all destination fees, including gas topup amounts, from the app balance associated with the API key.",
    shows: "The recipient gets the whole amount. What the fees really were leaves the app balance of the key's wallet, at most what was quoted. (This version serves no gas topups: `topupGas` is refused by name.)",
    plays: [{ what: "Everything sponsored", user: 0, keyed: true, to: "USDC", ask: { amount: "100000000", subsidizeFees: true } }]
  },
  {
    file: "rule-2-the-cap",
    title: "Rule 2: the cap",
    rule: "When total fees are at or below maxSubsidizationAmount the sponsor pays all; when above, the sponsor pays the cap and the user pays the remainder.",
    shows: "The same transfer twice. With a cap of twenty dollars the fees are below it and the sponsor pays them; with a cap of five the sponsor pays five dollars and the user the rest.",
    plays: [
      { what: "Fees below the cap", user: 1, keyed: true, to: "USDT", ask: { amount: "10000000000", subsidizeFees: true, maxSubsidizationAmount: "20000000" } },
      { what: "Fees above the cap", user: 2, keyed: true, to: "USDT", ask: { amount: "10000000000", subsidizeFees: true, maxSubsidizationAmount: "5000000" } }
    ]
  },
  {
    file: "rule-3-the-components",
    title: "Rule 3: which components",
    rule: "When sponsoredFeeComponents is omitted the components execution, swap, the service and app are sponsored; rent stays user-paid unless selected.",
    shows: "Omitted, four components are selected; listed, only those that are listed; with subsidizeRent, rent as well. (Between EVM chains no rent is due, so that it is selected and costs nothing.)",
    plays: [
      { what: "Omitted", user: 3, keyed: true, to: "USDT", ask: { amount: "1000000000", subsidizeFees: true } },
      { what: "Only execution and the service", user: 4, keyed: true, to: "USDT", ask: { amount: "1000000000", subsidizeFees: true, sponsoredFeeComponents: ["execution", "service"] } },
      { what: "Rent as well", user: 5, keyed: true, to: "USDT", ask: { amount: "1000000000", subsidizeFees: true, subsidizeRent: true } }
    ]
  },
  {
    file: "rule-8-app-fees",
    title: "Rule 8: app fees are not deducted from the sponsor balance",
    rule: "App fees are not deducted from the sponsor balance; they accrue to their own recipients.",
    shows: "An app fee that the user pays accrues to its recipient, who may claim it. One that the sponsor took over is not charged to the user and not taken off the app balance: the sponsor owes it (`Receivable`), and its recipient waits for it (`AppFeePending`) until the sponsor has paid.",
    plays: [
      {
        what: "The user pays the app fee",
        user: 6,
        keyed: true,
        to: "USDC",
        ask: { amount: "100000000", subsidizeFees: true, sponsoredFeeComponents: ["execution", "swap", "service"], appFees: [fee("a1")] }
      },
      { what: "The sponsor takes the app fee over", user: 7, keyed: true, to: "USDC", ask: { amount: "100000000", subsidizeFees: true, appFees: [fee("a2")] } }
    ]
  },
  {
    file: "subsidize-rent-alone",
    title: "subsidizeRent alone sponsors nothing",
    rule: "subsidizeRent without subsidizeFees sponsors nothing.",
    shows: "No key is needed, the user pays all fees, and the ledger stays as it was.",
    plays: [{ what: "subsidizeRent without subsidizeFees", user: 8, keyed: false, to: "USDC", ask: { amount: "100000000", subsidizeRent: true } }]
  }
]

const pathOf = ({ file }: Scenario): string => join(import.meta.dirname, "../../../docs/scenarios", `${file}.md`)

layer(Running.layer, { timeout: 120_000, excludeTestServices: true })("the scenarios of docs/scenarios", (it) => {
  for (const scenario of scenarios) {
    it.effect(scenario.title, () =>
      Effect.gen(function*() {
        const stage = yield* Running
        const played = yield* Effect.forEach(scenario.plays, (play) => perform(stage, play))
        const text = page(scenario, played)
        const path = pathOf(scenario)
        if (process.env["SCENARIOS"] === "write") return yield* Effect.sync(() => writeFileSync(path, text))
        assert.strictEqual(text, existsSync(path) ? readFileSync(path, "utf8") : "")
      }), 180_000)
  }
})
