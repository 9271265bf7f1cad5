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
      explorerLink("ethereum-vm", "https://etherscan.io", id),
      explorerLink("solana-vm", "https://solscan.io/", id),
      explorerLink("bitcoin-vm", "https://mempool.space", id),
      explorerLink("tron-vm", "https://tronscan.org", id),
      explorerLink("tron-vm", "https://tronscan.org/#/", id),
      explorerLink("exchangea-vm", "https://app.hyperliquid.xyz/explorer", id),
      explorerLink("exchangeb-vm", "https://app.lighter.xyz/explorer", id)
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

  it("is the configured one where that says where the id belongs, of whatever family", () => {
    for (const family of vmFamilies) {
      assert.strictEqual(
        explorerLink(family, "https://explorer.solana.com/tx/{id}?cluster=devnet", id),
        "https://explorer.solana.com/tx/ab12?cluster=devnet"
      )
    }
  })

  it("leads to the explorer's host and nowhere else, whatever an id says", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...vmFamilies),
        fc.string({ minLength: 1 }),
        fc.constantFrom("https://x.example", "https://x.example/{id}/y"),
        (family, text, url) => {
          const bytes = text.toWellFormed()
          const link = explorerLink(family, url, TransactionId.make(bytes)) ?? assert.fail()
          assert.strictEqual(new URL(link).host, "x.example")
          assert.notMatch(link, /[\s"<>\\]/u)
          assert.include(link, encodeURIComponent(bytes))
        }
      ),
      { numRuns: inputs(500, 20_000) }
    )
  })

  it("is none for what is no web address", () => {
    for (const none of [undefined, "javascript:alert(1)//{id}", "https://x\"y", "ftp://x"]) {
      assert.isUndefined(explorerLink("ethereum-vm", none, id))
    }
  })
})
