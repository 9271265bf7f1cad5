/** ledger-vm as a value: everything that a host needs. Its adapters are loaded only when a ledger is served. */
import { Effect, Layer, Result } from "effect"
import { type ChainFamily, Loading } from "causeway-kit/adapters/family"
import { makeHttpJson } from "causeway-kit/adapters/quorum"
import { ledgerRules } from "../rules/LedgerRules.ts"
import type { Connect } from "./LedgerNode.ts"

/** Ledgers are identified by their first block. */
const genesis: ChainFamily["entries"]["genesis"] = (named) =>
  named !== undefined && /^[0-9a-f]{64}$/.test(named)
    ? Result.succeed(named)
    : Result.fail("additionalData lacks the genesisHash of its ledger, 64 hex digits")

/** `connect`: how a node is reached. Over HTTP, unless a test has its ledger in memory. */
export const ledgerOver = (connect: Connect): ChainFamily => ({
  rules: ledgerRules,
  title: "ledgers",
  lacks: { calls: "a transfer is all that there is: an order with calls is refused" },
  entries: {
    // Nodes report which block is final.
    finality: { _tag: "Tag", tag: "finalized", seconds: 2 },
    refuseFinality: (rule) =>
      rule._tag === "Tag" && rule.tag === "finalized" ? undefined : "finality must be the tag finalized on a ledger",
    genesis,
    parts: [],
    swapSources: []
  },
  observe: {
    variables: [],
    read: () =>
      Effect.succeed({
        warnings: [],
        observers: (of) =>
          Layer.merge(
            Loading.loaded(async () => (await import("./Observer.ts")).layer(connect, { of })),
            Loading.loaded(async () => (await import("./Withdrawals.ts")).layer(connect, { of }))
          ),
        facts: Loading.factsOf(async () => (await import("./Observer.ts")).check(connect))
      })
  },
  transfer: {
    variables: [],
    read: () =>
      Effect.succeed({
        // It pays with the service's own key.
        keys: [],
        ports: ({ endpoints, signers }) =>
          Loading.loaded(async () => (await import("./TransferPorts.ts")).layer(connect, endpoints, signers))
      })
  }
})

export const ledger: ChainFamily = ledgerOver(makeHttpJson)
