/**
 * The rules of sponsorship about Solana (SPONSOR-4, SPONSOR-13): who pays the rent of a recipient's account, and the
 * fee of a deposit. Like `Scenarios.local.test.ts`: each is run and compared with its page, and `SCENARIOS=write`
 * writes the pages.
 */
import { layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { keyOfName } from "../../../localnet/nodes/solana/node/LocalKey.ts"
import { usdc } from "../../../localnet/nodes/solana/Mints.ts"
import { solanaChainId } from "../../../localnet/nodes/solana/SolanaChain.ts"
import { feePayerFirst } from "./testing/FeePayerFirst.ts"
import { comparePage } from "./testing/Page.ts"
import type { Run, Scenario } from "./testing/Page.ts"
import type { Played, Refused } from "./testing/Played.ts"
import { arrive, depart, refuseArrival, refuseDeparture, startSolanaFixture } from "./testing/SolanaFixture.ts"
import type { Arrival, Departure, SolanaFixture } from "./testing/SolanaFixture.ts"

class Running extends Context.Service<Running, SolanaFixture>()("test/SolanaScenarios") {
  static readonly layer = Layer.effect(Running, startSolanaFixture)
}

interface Rule extends Scenario {
  readonly played: (fixture: SolanaFixture) => Effect.Effect<ReadonlyArray<Played>>
  /** The questions that are refused. */
  readonly refused: (fixture: SolanaFixture) => Effect.Effect<ReadonlyArray<Refused>>
}

const arrivals: ReadonlyArray<Arrival> = [
  {
    what: "subsidizeFees alone: the user pays everything",
    user: 0,
    recipient: 0,
    keyed: true,
    ask: { subsidizeFees: true }
  },
  {
    what: "With subsidizeRent: the sponsor pays everything",
    user: 1,
    recipient: 1,
    keyed: true,
    ask: { subsidizeFees: true, subsidizeRent: true }
  },
  {
    what: "The same recipient again, who has an account now: subsidizeFees alone is enough",
    user: 2,
    recipient: 1,
    keyed: true,
    ask: { subsidizeFees: true }
  },
  {
    what: "A list without rent: the user pays the rent",
    user: 3,
    recipient: 3,
    keyed: true,
    ask: { subsidizeFees: true, sponsoredFeeComponents: ["execution", "swap", "service"] }
  },
  {
    what: "A list with rent",
    user: 4,
    recipient: 4,
    keyed: true,
    ask: { subsidizeFees: true, sponsoredFeeComponents: ["execution", "rent"] }
  },
  {
    what: "subsidizeRent without subsidizeFees: nothing is sponsored",
    user: 5,
    recipient: 5,
    keyed: true,
    ask: { subsidizeRent: true }
  },
  {
    what: "An account that somebody opens before the fill",
    user: 6,
    recipient: 6,
    keyed: true,
    openedMeanwhile: true,
    ask: { subsidizeFees: true, subsidizeRent: true }
  }
]

const departures: ReadonlyArray<Departure> = [
  {
    what: "Another account pays for the deposit, and nobody sponsors",
    user: 0,
    keyed: false,
    feePayer: "another",
    ask: {}
  },
  {
    what: "Another account pays for the deposit, and a sponsor the destination's fees",
    user: 1,
    keyed: true,
    feePayer: "another",
    ask: { subsidizeFees: true }
  },
  { what: "Only the sponsor: the user pays for the deposit", user: 2, keyed: true, ask: { subsidizeFees: true } },
  {
    what: "To Solana itself, where the sponsor pays rent as well",
    user: 3,
    keyed: true,
    feePayer: "another",
    within: true,
    ask: { subsidizeFees: true, subsidizeRent: true }
  }
]

/** From the user to another account, without a deposit. */
const sending = {
  destinationChainId: solanaChainId,
  destinationCurrency: usdc.address,
  recipient: keyOfName("causeway.scenarios.recipient.sent").address
}

const rules: ReadonlyArray<Rule> = [
  {
    file: "rule-5-rent",
    title: "Rule 5: rent on Solana",
    rule:
      "subsidizeRent without subsidizeFees sponsors nothing. When subsidizeFees is set without subsidizeRent, a request that needs ATA creation falls back to user-paid fees.",
    shows:
      "A recipient without an account for USDC needs one (its associated token account, ATA): 2,039,280 lamports of rent, which the fill pays and which are the component `rent`. What the sponsor pays of such a request depends on what was selected.",
    played: (fixture) => Effect.forEach(arrivals, (play) => arrive(fixture, play)),
    refused: () => Effect.succeed([])
  },
  {
    file: "rule-6-the-fee-payer-of-a-deposit",
    title: "Rule 6: another account pays for a deposit",
    rule:
      "depositFeePayer applies only to Solana origins, is independent of subsidizeFees and subsidizeRent, and does not draw from the app balance.",
    shows:
      "The users whose deposits another account pays for have no SOL at all. It pays 5,000 lamports for each of the two signatures, and for the first deposit of a currency the vault's account. What the sponsor pays is the same with it and without it.",
    played: (fixture) => Effect.forEach(departures, (play) => depart(fixture, play)),
    refused: (fixture) =>
      Effect.all([
        refuseArrival(fixture, {
          what: "Another origin than Solana",
          user: 7,
          recipient: 7,
          keyed: false,
          ask: { depositFeePayer: fixture.solanaUsers.at(-1)?.address }
        }),
        refuseDeparture(fixture, { what: "The user itself", user: 4, keyed: false, feePayer: "the user", ask: {} }),
        refuseDeparture(fixture, {
          what: "A fee payer without SOL",
          user: 4,
          keyed: false,
          feePayer: "a stranger to SOL",
          ask: {}
        }),
        refuseDeparture(fixture, {
          what: "Within Solana, where the user sends by itself",
          user: 4,
          keyed: false,
          feePayer: "another",
          ask: sending
        })
      ])
  },
  {
    file: "rule-7-the-fee-payer-signs-first",
    title: "Rule 7: the fee payer signs first",
    rule:
      "For depositFeePayer the returned transaction needs the fee payer's signature first; the integrator signs before handing it to the user.",
    shows:
      "Whoever pays signs the whole transaction, so that it can be spent on nothing else. The integrator checks the step (`verifyQuote`), builds the transaction with a recent blockhash, signs it as `feePayer` and hands it to the user; it can be carried out for 150 blocks.",
    played: (fixture) =>
      Effect.forEach([
        { what: "A deposit with two signatures", user: 5, keyed: false, feePayer: "another", ask: {} } as const
      ], (play) => depart(fixture, play, feePayerFirst)),
    refused: () => Effect.succeed([])
  }
]

const run: Run = {
  suite: import.meta.filename,
  amounts: "Amounts are whole USDC, one of which is one dollar there, and whole SOL, one of which is 150 dollars."
}

layer(Running.layer, { excludeTestServices: true })("the scenarios of docs/scenarios with Solana", (it) => {
  for (const { played, refused, ...scenario } of rules) {
    it.effect(scenario.title, () =>
      Effect.gen(function*() {
        const fixture = yield* Running
        yield* comparePage(run, scenario, yield* played(fixture), yield* refused(fixture))
      }))
  }
})
