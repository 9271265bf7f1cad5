/** The contracts of all ports of the family, each on its own ledger, in memory and on virtual time. */
import { describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Result } from "effect"
import { ChainFacts } from "causeway-kit/ports"
import {
  addressBalancesContract,
  chainFactsContract,
  chainObserverContract,
  type Contract,
  contractsOn,
  depositWatcherContract,
  familyRulesLaws,
  finalScanContract,
  FamilyFixture,
  gasContract,
  sendWatcherContract,
  sentTransactionsContract,
  stepBuilderContract,
  treasuryContract
} from "causeway-kit/property-tests"
import { makeFacts, observedEndpoints } from "causeway-kit/adapters/quorum"
import * as fc from "fast-check"
import { inputs } from "../../scripts/testing/Tally.ts"
import { check, layer as layerObserver } from "./adapter/Observer.ts"
import { layer as layerPorts } from "./adapter/TransferPorts.ts"
import { ledgerRules } from "./rules/LedgerRules.ts"
import { makeFixture, memoryUrl, solverSigner } from "./testing/Fixture.ts"

/** `urls`: how the ledger is read; its quorum needs all of them. */
const layerBy = (...urls: ReadonlyArray<Redacted.Redacted>) =>
  Layer.unwrap(Effect.map(makeFixture, ({ chain, node, fixture }) => {
    const connect = () => Effect.succeed(node)
    const observed = Result.getOrThrow(observedEndpoints([memoryUrl]))
    return Layer.mergeAll(
      Layer.succeed(FamilyFixture, fixture),
      layerPorts(connect, {
        urls: new Map([[chain.id, urls]]),
        quorums: new Map([[chain.id, urls.length]])
      }, { solver: solverSigner, deposits: undefined }),
      layerObserver(connect, { of: new Map([[chain.id, observed]]) }),
      Layer.effect(
        ChainFacts,
        makeFacts(check(connect), new Map([[chain.id, { ...observed, decides: "quorum" as const }]]))
      )
    )
  }))

const layerAll = layerBy(memoryUrl)

type Ports = Layer.Success<typeof layerAll>

const lacks = {
  expiry: "a signed transfer stays valid until its sequence is used",
  coins: "a transfer takes from a balance"
}

const shown = (port: string, contracts: ReadonlyArray<Contract<Ports>>, ports = layerAll) =>
  describe(`${port} of a ledger`, () => {
    for (const { check: promise, name } of contractsOn(lacks, contracts)) {
      it.effect(name, () => Effect.provide(promise, Layer.fresh(ports)))
    }
  })

shown("DepositWatcher", depositWatcherContract)
shown(
  "DepositWatcher by two hosts",
  finalScanContract,
  layerBy(memoryUrl, Redacted.make("http://other.ledger.example"))
)
shown("Treasury", treasuryContract)
shown("Gas", gasContract)
shown("SentTransactions", sentTransactionsContract)
shown("StepBuilder", stepBuilderContract)
shown("DirectPaymentWatcher", sendWatcherContract)
shown("AddressBalances", addressBalancesContract)
shown("ChainObserver", chainObserverContract)
shown("ChainFacts", chainFactsContract)

describe("FamilyRules of a ledger", () => {
  const laws = familyRulesLaws({
    rules: ledgerRules,
    account: fc.uint8Array({ minLength: 20, maxLength: 20 }),
    transactionId: fc.tuple(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.constantFrom("", "0x", "0X")).map(
      ([bytes, prefix]) => `${prefix}${Buffer.from(bytes).toString("hex")}`
    )
  })
  for (const { check: holds, name } of laws) it(name, () => holds(inputs(500, 50_000)))
})
