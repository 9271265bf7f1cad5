/** Whatever an endpoint of exchange B answers, the result is a reading or a named fault, never a defect. */
import { families } from "../../../src/domain/families/index.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Result } from "effect"
import * as fc from "fast-check"
import { account, transaction } from "../../../property-tests/EvidenceChains.ts"
import { withAnotherLeaf } from "../../../property-tests/EvidenceDamage.ts"
import { makeWithdrawalWorld } from "../../../property-tests/EvidenceWithdrawals.ts"
import { inputs } from "../../../scripts/testing/Tally.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { alpha } from "../../../src/domain/quote/testing/Chains.ts"
import { decodeExchangeBWithdrawal } from "../../../src/domain/families/exchange-b/ExchangeBWithdrawal.ts"
import type { ExchangeBClient } from "../rpc/ExchangeBClient.ts"
import { readTransaction } from "./ReadTransaction.ts"
import { withdrawalReading } from "./ReadWithdrawal.ts"

const depository = account("exchangeb-vm", 50)
const chain: Chain = {
  ...alpha,
  family: families["exchangeb-vm"],
  network: "mainnet",
  depository,
  finality: { _tag: "Tag", tag: "finalized", seconds: 1 }
}
const id = transaction("exchangeb-vm", 1)
const { claim, evidence } = makeWithdrawalWorld("exchangeb-vm")
const sought = { encoded: claim.withdrawal, id: evidence.withdrawalId }
const withdrawn = Result.getOrThrow(decodeExchangeBWithdrawal(claim.withdrawal))

const info = {
  FromAccountIndex: Number(withdrawn.fromAccountIndex),
  ApiKeyIndex: 0,
  ToAccountIndex: Number(withdrawn.toAccountIndex),
  AssetIndex: 3,
  FromRouteType: 0,
  ToRouteType: 0,
  Amount: Number(withdrawn.amount),
  USDCFee: 0,
  Memo: Array.from({ length: 32 }, () => 0),
  Nonce: 1,
  ExpiredAt: 1_900_000_000_000
}
const tx = { code: 200, hash: id, type: 12, status: 2, block_height: 5, queued_at: 1_700_000_000_999 }
const honest = {
  transaction: tx,
  info,
  root: { timestamp: 1_800_000_000 },
  logs: [{
    hash: id,
    pubdata: {
      l2_transfer_pubdata_v2: {
        from_account_index: `${info.FromAccountIndex}`,
        to_account_index: `${info.ToAccountIndex}`
      }
    }
  }]
}
type Says = Record<keyof typeof honest, unknown>

const unasked = () => Effect.die(new Error("an oracle asks for transactions, logs and facts alone"))

const clientOf = (says: Says): ExchangeBClient => ({
  account: unasked,
  nextNonce: unasked,
  transferFee: unasked,
  transfers: unasked,
  transactions: unasked,
  submit: unasked,
  transaction: () =>
    Effect.succeed(
      typeof says.transaction === "object" && says.transaction !== null
        ? { ...says.transaction, info: JSON.stringify(says.info) ?? "" }
        : says.transaction
    ),
  logs: () => Effect.succeed(says.logs),
  root: () => Effect.succeed(says.root),
  assets: () => Effect.succeed(says.root)
})

const observed = (says: Says) =>
  Effect.map(
    readTransaction(clientOf(says), chain, id, { deadline: 100, verify: true }),
    ({ heads, observedAt }) => observedAt(heads)
  )
const standing = (says: Says) =>
  Effect.map(
    withdrawalReading(chain, sought).at({ rpc: clientOf(says), host: "one", verified: true }, 0n, Date.now() + 60_000),
    ({ value }) => value
  )
const runBoth = (says: Says) =>
  Effect.runPromise(Effect.all([Effect.exit(observed(says)), Effect.exit(standing(says))]))

const nonsense = fc.oneof(
  fc.constantFrom<unknown>(null, true, -1, 1e99, "", "0x", [], {}, [[[]]], "__proto__"),
  fc.jsonValue({ maxDepth: 3 })
)

describe("an endpoint of exchange B", () => {
  it.live("that is honest shows the withdrawal, by its transaction and by the logs", () =>
    Effect.gen(function*() {
      const seen = yield* observed(honest)
      assert.deepStrictEqual(seen._tag === "Transaction" ? seen.withdrawals : [], [sought.id])
      assert.strictEqual(yield* standing(honest), "executed")
    }))

  it("that answers anything else is read or refused, never a defect", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom("transaction", "info", "root", "logs"), nonsense, async (name, said) => {
        const exits: ReadonlyArray<Exit.Exit<unknown, unknown>> = await runBoth({ ...honest, [name]: said })
        for (const exit of exits) assert.isFalse(Exit.hasDies(exit))
      }),
      { numRuns: inputs(500, 100_000) }
    )
  })

  it("whose transfer has one leaf changed shows no withdrawal of that id", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(), async (leaf, how) => {
        const changed = withAnotherLeaf(info, leaf, how)
        const [seen, stands] = await runBoth({ ...honest, info: changed })
        assert.isFalse(Exit.isFailure(seen) && Exit.hasDies(seen))
        const signed = JSON.stringify({ ...changed, ExpiredAt: 0 }) !== JSON.stringify({ ...info, ExpiredAt: 0 })
        if (!signed) return
        if (Exit.isSuccess(seen) && seen.value._tag === "Transaction") {
          assert.notInclude(seen.value.withdrawals ?? [], sought.id)
        }
        if (Exit.isSuccess(stands)) {
          assert.strictEqual(stands.value, "unknown")
        }
      }),
      { numRuns: inputs(500, 100_000) }
    )
  })
})
