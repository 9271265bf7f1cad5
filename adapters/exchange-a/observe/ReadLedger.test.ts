/** An endpoint has no vote when its ledger lacks a fact. Each possible gap is tested alone. */
import { families } from "../../../src/domain/families/index.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { account, transaction } from "../../../property-tests/EvidenceChains.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { alpha } from "../../../src/domain/quote/testing/Chains.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import type { ExchangeAClient, InfoQuestion } from "../rpc/ExchangeAClient.ts"
import { hintOf } from "./ReadLedger.ts"
import { readTransaction } from "./ReadTransaction.ts"

const [sender, depository] = [account("exchangea-vm", 1), account("exchangea-vm", 50)]
const chain: Chain = {
  ...alpha,
  family: families["exchangea-vm"],
  network: "mainnet",
  depository,
  finality: { _tag: "Tag", tag: "finalized", seconds: 1 }
}
const id = transaction("exchangea-vm", 1)
const TOK = { name: "TOK", tokenId: `0x${"7e".repeat(16)}`, weiDecimals: 5 }
const USDC = { name: "USDC", tokenId: "0x6d1e7cde53ba9467b783cb7c530ce054", weiDecimals: 8 }
const at = 1_700_000_000_999
const delta = {
  type: "send",
  user: sender,
  destination: depository,
  sourceDex: "spot",
  destinationDex: "spot",
  token: "TOK",
  amount: "1.5",
  nonce: 1_700_000_000_000
}
const update = { time: at, hash: id, delta }
const hint = hintOf({ user: sender, timestamp: at }) ?? ""

const says = {
  updates: [update] as unknown,
  tokens: [USDC, TOK] as unknown,
  role: "user",
  explorer: "over-quota" as ReadFault,
  chain
}

/** The questions to the info interface, and the result. */
const read = (changes: Partial<typeof says> = {}, given = hint) => {
  const { chain, explorer, role, tokens, updates } = { ...says, ...changes }
  const asked: Array<InfoQuestion> = []
  const answers: Partial<Record<InfoQuestion["type"], unknown>> = {
    exchangeStatus: { time: 1_800_000_000_000 },
    spotMeta: { tokens },
    userRole: { role },
    userNonFundingLedgerUpdates: updates
  }
  const rpc: ExchangeAClient = {
    transaction: () => Effect.fail(explorer),
    account: () => Effect.die(new Error("unasked")),
    block: () => Effect.die(new Error("unasked")),
    submit: () => Effect.die(new Error("unasked")),
    info: (question) =>
      Effect.sync(() => {
        asked.push(question)
        return answers[question.type]
      })
  }
  const exit = Effect.runSyncExit(
    readTransaction(rpc, chain, id, { deadline: 100, verify: true, ...(given === "" ? {} : { hint: given }) })
  )
  const seen = Exit.isSuccess(exit) ? exit.value.observedAt(exit.value.heads) : undefined
  return {
    asked,
    exit,
    deposits: seen?._tag === "Transaction" ? seen.deposits.map(({ amount, depositor }) => [amount, depositor]) : []
  }
}

describe("the ledger of an account of exchange A", () => {
  it("is requested around the hint's time, and shows a transfer of the sender that the hint names", () => {
    const { asked, deposits } = read()
    assert.deepStrictEqual(deposits, [[150_000n, sender]])
    assert.deepInclude(asked, {
      type: "userNonFundingLedgerUpdates",
      user: sender,
      startTime: at - 600_000,
      endTime: at + 600_000
    })
    assert.deepStrictEqual(
      read({}, hintOf({ user: sender, timestamp: 5 })).asked.find(({ type }) => type === "userNonFundingLedgerUpdates"),
      {
        type: "userNonFundingLedgerUpdates",
        user: sender,
        startTime: 0,
        endTime: 600_005
      }
    )
    // The hint names the ledger's owner. The ledger names the sender.
    assert.deepStrictEqual(read({}, hintOf({ user: depository, timestamp: at })).deposits, [[
      150_000n,
      sender
    ]])
    // A perps transfer's token is the main USDC. The hash may be in upper or lower case.
    assert.deepStrictEqual(
      read({
        updates: [{
          ...update,
          hash: `0x${id.slice(2).toUpperCase()}`,
          delta: { ...delta, token: "USDC", sourceDex: "", destinationDex: "" }
        }]
      }).deposits,
      [[150_000_000n, sender]]
    )
  })

  it("is not requested without a hint, or when the explorer failed in another way: slowing it down cannot force the read", () => {
    assert.isUndefined(hintOf({}))
    for (
      const [changes, given] of [[{}, ""], [{ explorer: "timeout" as const }, hint], [
        { explorer: "refused" as const },
        hint
      ]] as const
    ) {
      const { asked, exit } = read(changes, given)
      assert.isTrue(Exit.isFailure(exit))
      assert.isFalse(asked.some(({ type }) => type === "userNonFundingLedgerUpdates"))
    }
  })

  it("gives its endpoint no vote when it is incomplete", () => {
    const silent: ReadonlyArray<readonly [string, Partial<typeof says>]> = [
      ["another network", { chain: { ...chain, network: "testnet" } }],
      ["no such transfer", { updates: [{ ...update, hash: transaction("exchangea-vm", 2) }] }],
      ["two of one hash", { updates: [update, update] }],
      ["no nonce", { updates: [{ ...update, delta: { ...delta, nonce: undefined } }] }],
      ["usdSend", {
        updates: [{
          ...update,
          delta: { type: "internalTransfer", usdc: "1.5", user: sender, destination: depository }
        }]
      }],
      ["the depository's own", {
        updates: [{ ...update, delta: { ...delta, user: depository, destination: sender } }]
      }],
      ["a token of no name", { tokens: [USDC, { ...TOK, name: "OTHER" }] }],
      ["two tokens of one name", { tokens: [USDC, TOK, { ...TOK, tokenId: `0x${"7f".repeat(16)}` }] }],
      ["a sub-account", { role: "subAccount" }],
      ["a vault", { role: "vault" }]
    ]
    for (const [what, changes] of silent) assert.deepStrictEqual(read(changes).exit, Exit.fail("over-quota"), what)
    assert.deepStrictEqual(read({ tokens: [TOK] }).exit, Exit.fail("wrong-chain"))
    for (const updates of [null, {}, [null], [{ hash: id, delta }]]) {
      assert.deepStrictEqual(read({ updates }).exit, Exit.fail("undecodable"))
    }
  })
})
