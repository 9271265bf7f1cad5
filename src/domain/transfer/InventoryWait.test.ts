import { assert, it } from "@effect/vitest"
import type { TransferTerms } from "./Transfer.ts"
import { inventoryWaitEnd } from "./InventoryWait.ts"

it("a fill waits as long as its request allows, counted from the deposit, and no longer than the quote's lifetime", () => {
  const block = { height: 1n, hash: "0x1", time: 1_000 }
  const until = (terms: Pick<TransferTerms, "ttlSeconds" | "waitSeconds">) =>
    inventoryWaitEnd({ quotedAt: 990_999, terms }, { block })
  assert.deepStrictEqual([until({}), until({ ttlSeconds: 60 })], [undefined, undefined])
  assert.deepStrictEqual([
    until({ waitSeconds: 3_600 }),
    until({ waitSeconds: 3_600, ttlSeconds: 60 }),
    until({ waitSeconds: 30, ttlSeconds: 60 })
  ], [4_600, 1_050, 1_030])
})
