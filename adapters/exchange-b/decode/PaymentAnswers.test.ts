/** Whose nonce a transaction of exchange B has used, whatever its kind. */
import { assert, describe, it } from "@effect/vitest"
import { nonceIn } from "./PaymentAnswers.ts"

const used = { account: 7n, apiKey: 4n, nonce: 9n }

describe("a nonce that a transaction has used", () => {
  it("is that of the sender of a transfer, and of the account of every other kind", () => {
    const transfer = { FromAccountIndex: 7, ApiKeyIndex: 4, ToAccountIndex: 8, Nonce: 9 }
    assert.deepStrictEqual(nonceIn({ info: JSON.stringify(transfer) }), used)
    // A change of the account's mode.
    const config = { AccountIndex: 7, ApiKeyIndex: 4, AccountTradingMode: 0, Nonce: 9 }
    assert.deepStrictEqual(nonceIn({ info: JSON.stringify(config) }), used)
  })

  it("is none where no API key has signed", () => {
    for (const info of ["{}", "", "null", JSON.stringify({ AccountIndex: 7, Nonce: 9 })]) {
      assert.isUndefined(nonceIn({ info }))
    }
  })
})
