import { families } from "../families/index.ts"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { explorerLink } from "./ExplorerLink.ts"
import { TransactionId } from "./TransactionId.ts"
import { vmFamilies } from "./VmFamily.ts"

const id = TransactionId.make("ab12")

describe("the link of a transaction", () => {
  it("has the form of each family's well-known explorers", () => {
    const links = [
      explorerLink(families["ethereum-vm"], "https://etherscan.io", id),
      explorerLink(families["solana-vm"], "https://solscan.io/", id),
      explorerLink(families["bitcoin-vm"], "https://mempool.space", id),
      explorerLink(families["tron-vm"], "https://tronscan.org", id),
      explorerLink(families["tron-vm"], "https://tronscan.org/#/", id),
      explorerLink(families["exchangea-vm"], "https://app.hyperliquid.xyz/explorer", id),
      explorerLink(families["exchangeb-vm"], "https://app.lighter.xyz/explorer", id)
    ]
    assert.deepStrictEqual(links, [
      "https://etherscan.io/tx/ab12",
      "https://solscan.io/tx/ab12",
      "https://mempool.space/tx/ab12",
      "https://tronscan.org/#/transaction/ab12",
      "https://tronscan.org/#/transaction/ab12",
      "https://app.hyperliquid.xyz/explorer/tx/ab12",
      "https://app.lighter.xyz/explorer/logs/ab12"
    ])
  })

  it("is the configured one where that says where the id goes, for any family", () => {
    for (const family of vmFamilies) {
      assert.strictEqual(
        explorerLink(families[family], "https://explorer.solana.com/tx/{id}?cluster=devnet", id),
        "https://explorer.solana.com/tx/ab12?cluster=devnet"
      )
    }
  })

  it("leads to the explorer's host only, for any id", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...vmFamilies),
        fc.string({ minLength: 1 }),
        fc.constantFrom("https://x.example", "https://x.example/{id}/y"),
        (family, text, url) => {
          const bytes = text.toWellFormed()
          const link = explorerLink(families[family], url, TransactionId.make(bytes)) ?? assert.fail()
          assert.strictEqual(new URL(link).host, "x.example")
          assert.notMatch(link, /[\s"<>\\]/u)
          assert.include(link, encodeURIComponent(bytes))
        }
      ),
      { numRuns: inputs(500, 20_000) }
    )
  })

  it("is missing for an invalid web address", () => {
    for (const none of [undefined, "javascript:alert(1)//{id}", "https://x\"y", "ftp://x"]) {
      assert.isUndefined(explorerLink(families["ethereum-vm"], none, id))
    }
  })
})
