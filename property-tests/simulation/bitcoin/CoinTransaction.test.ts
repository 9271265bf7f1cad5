/** Signatures of the simulated Bitcoin chain, as nodes check them. */
import { assert, describe, it } from "@effect/vitest"
import { isSigned, readCoinTransaction, signedBy } from "./CoinTransaction.ts"
import { accounts } from "./Terms.ts"

describe("a transaction on the simulated Bitcoin chain", () => {
  it("is signed by the key of its coin alone, and only as it is", () => {
    const [first = assert.fail("no account"), second = assert.fail("no account")] = accounts
    const coin = { transactionId: "11".repeat(32), index: 0, amount: 50_000n }
    const outputs = [{ amount: 49_000n, script: second.script }]
    for (let nth = 0; nth < 8; nth += 1) {
      const signed = signedBy(first, [{ ...coin, index: nth }], outputs)
      const spent = [{ amount: coin.amount, script: first.script }]
      assert.isTrue(isSigned(signed, spent))
      assert.isFalse(isSigned(signed, [{ amount: coin.amount, script: second.script }]), "a coin of another")
      assert.isFalse(isSigned(signed, [{ amount: coin.amount + 1n, script: first.script }]), "another amount")
      const bytes = signed.bytes.slice()
      // Within r of the only signature: after version, marker, input, output, and the heads of stack and DER.
      const at = signed.stripped.length - 4 + 2 + 1 + 1 + 4 + 5
      bytes[at] = (bytes[at] ?? 0) ^ 1
      const broken = readCoinTransaction(bytes) ?? assert.fail("no transaction")
      assert.strictEqual(broken.id, signed.id)
      assert.isFalse(isSigned(broken, spent), "another signature")
    }
  })
})
