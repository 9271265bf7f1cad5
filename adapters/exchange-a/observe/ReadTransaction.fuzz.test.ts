/** Whatever an endpoint of exchange A answers, the result is a reading or a named fault, never a defect. */
import { families } from "../../../src/domain/families/index.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { account, transaction, word } from "../../../property-tests/EvidenceChains.ts"
import { withAnotherLeaf } from "../../../property-tests/EvidenceDamage.ts"
import { alpha } from "../../../src/domain/quote/testing/Chains.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { readTransaction } from "./ReadTransaction.ts"
import { withdrawalReading } from "./ReadWithdrawal.ts"
import type { ExchangeAClient } from "../rpc/ExchangeAClient.ts"

const depository = account("exchangea-vm", 50)
const chain: Chain = {
  ...alpha,
  family: families["exchangea-vm"],
  network: "mainnet",
  depository,
  finality: { _tag: "Tag", tag: "finalized", seconds: 1 }
}
const id = transaction("exchangea-vm", 1)
const tokenId = `0x${"7e".repeat(16)}`

const tx = {
  action: {
    type: "sendAsset",
    hyperliquidChain: "Mainnet",
    destination: depository,
    sourceDex: "spot",
    destinationDex: "spot",
    token: `TOK:${tokenId}`,
    amount: "1.5",
    fromSubAccount: "",
    nonce: 1_700_000_000_000
  },
  block: 5,
  error: null,
  hash: id,
  time: 1_700_000_000_999,
  user: account("exchangea-vm", 1)
}
const honest = {
  transaction: { type: "txDetails", tx },
  account: { type: "userDetails", txs: [tx] },
  exchangeStatus: { time: 1_800_000_000_000 },
  spotMeta: {
    tokens: [{ name: "TOK", tokenId, weiDecimals: 5 }, {
      name: "USDC",
      tokenId: "0x6d1e7cde53ba9467b783cb7c530ce054",
      weiDecimals: 8
    }]
  },
  userNonFundingLedgerUpdates: [{
    time: tx.time,
    hash: id,
    delta: {
      type: "send",
      user: tx.user,
      destination: depository,
      sourceDex: "spot",
      destinationDex: "spot",
      token: "TOK",
      amount: "1.5",
      nonce: tx.action.nonce
    }
  }],
  userRole: { role: "user" }
}

const clientOf = (says: typeof honest | Record<keyof typeof honest, unknown>): ExchangeAClient => ({
  transaction: () => Effect.succeed(says.transaction),
  account: () => Effect.succeed(says.account),
  block: () => Effect.die(new Error("no evidence is read from blocks")),
  info: ({ type }) => Effect.succeed(new Map<string, unknown>(Object.entries(says)).get(type)),
  submit: () => Effect.die(new Error("reading submits nothing"))
})

const observed = (says: Record<keyof typeof honest, unknown>) =>
  Effect.map(
    readTransaction(clientOf(says), chain, id, { deadline: 100, verify: true }),
    ({ heads, observedAt }) => observedAt(heads)
  )

/** Reads through the ledger that a hint names, with the explorer's quota used up. */
const observedByLedger = (says: Record<keyof typeof honest, unknown>) =>
  Effect.map(
    readTransaction({ ...clientOf(says), transaction: () => Effect.fail("over-quota") }, chain, id, {
      deadline: 100,
      verify: true,
      hint: `${tx.user}:${tx.time}`
    }),
    ({ heads, observedAt }) => observedAt(heads)
  )

const nonsense = fc.oneof(
  fc.constantFrom<unknown>(null, true, -1, 1e99, "", "0x", [], {}, [[[]]], "__proto__", 1n << 70n),
  fc.jsonValue({ maxDepth: 3 })
)
const part = fc.constantFrom(
  "transaction",
  "account",
  "exchangeStatus",
  "spotMeta",
  "userNonFundingLedgerUpdates",
  "userRole"
)

describe("an endpoint of exchange A", () => {
  it.effect("that is honest shows the deposit", () =>
    Effect.gen(function*() {
      const seen = yield* observed(honest)
      assert.deepStrictEqual(seen._tag === "Transaction" ? seen.deposits.map(({ amount }) => amount) : [], [150_000n])
    }))

  it.effect("shows the same from its ledger, to the byte", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* observedByLedger(honest), yield* observed(honest))
    }))

  it("that answers anything else is read or refused, never a defect", () => {
    fc.assert(
      fc.property(part, nonsense, (name, said) => {
        const says = { ...honest, [name]: said }
        const listed = withdrawalReading(chain, word(1)).at(
          { rpc: clientOf(says), host: "one", verified: true },
          0n,
          Date.now() + 60_000
        )
        const exits: ReadonlyArray<Exit.Exit<unknown, unknown>> = [
          Effect.runSyncExit(observed(says)),
          Effect.runSyncExit(observedByLedger(says)),
          Effect.runSyncExit(listed)
        ]
        for (const exit of exits) assert.isFalse(Exit.hasDies(exit))
      }),
      { numRuns: inputs(1_000, 200_000) }
    )
  })

  it("whose answer has one leaf changed shows a fault or the changed value, never another amount for the same text", () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (leaf, how) => {
        const says = withAnotherLeaf(honest, leaf, how)
        const texts = [[observed, says.transaction.tx.action.amount], [
          observedByLedger,
          says.userNonFundingLedgerUpdates[0]?.delta.amount
        ]] as const
        for (const [reading, text] of texts) {
          const exit = Effect.runSyncExit(reading(says))
          assert.isFalse(Exit.isFailure(exit) && Exit.hasDies(exit))
          if (!Exit.isSuccess(exit) || exit.value._tag !== "Transaction") continue
          for (const { amount, depository: into } of exit.value.deposits) {
            assert.strictEqual(into, depository)
            if (text === "1.5" && says.spotMeta.tokens[0]?.weiDecimals === 5) assert.strictEqual(amount, 150_000n)
          }
        }
      }),
      { numRuns: inputs(1_000, 200_000) }
    )
  })
})
