/** Digests and signed bytes against bitcoinjs-lib, which computes both from the transaction itself. */
import { assert, describe, it } from "@effect/vitest"
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { getPublicKey, hashes, sign } from "@noble/secp256k1"
import { payments, script as scripts, Transaction } from "bitcoinjs-lib"
import * as fc from "fast-check"
import { inputs } from "../../../../../scripts/testing/Tally.ts"
import { readBtcTransaction } from "../evidence/BtcTransaction.ts"
import { p2wpkhOf } from "../spending/KeyScript.ts"
import { replaceableTransaction } from "../spending/ReplaceableTransaction.ts"
import { virtualBytesOf, weightOf } from "../spending/TransactionSize.ts"
import { signedTransaction } from "./SignedTransaction.ts"
import { signingDigests } from "./SigningDigest.ts"

hashes.sha256 = sha256
hashes.hmacSha256 = (key, message) => hmac(sha256, key, message)

const amounts = fc.bigInt({ min: 0n, max: 21_000_000n * 100_000_000n })
const transactions = fc.record({
  coins: fc.array(
    fc.record({
      secret: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((seed) => sha256(seed)),
      transactionId: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString("hex")),
      index: fc.nat(0xffff_ffff),
      amount: amounts
    }),
    { minLength: 1, maxLength: 4 }
  ),
  outputs: fc.array(fc.record({ script: fc.uint8Array({ maxLength: 90 }), amount: amounts }), {
    minLength: 1,
    maxLength: 4
  })
})

describe("a transaction of P2WPKH coins of any keys", () => {
  it("has the digests and the bytes that bitcoinjs-lib computes, and is never larger than it was taken for", () => {
    fc.assert(
      fc.property(transactions, ({ coins, outputs }) => {
        const keys = coins.map(({ secret }) => getPublicKey(secret, true))
        const spent = coins.map(({ amount }, at) => ({ amount, script: p2wpkhOf(keys[at] ?? assert.fail("no key")) }))
        const unsigned = replaceableTransaction(coins, outputs)
        const digests = signingDigests(unsigned, spent)
        const signatures = digests.map((digest, at) =>
          sign(digest, coins[at]?.secret ?? assert.fail("no key"), { prehash: false })
        )
        const { bytes, id } = signedTransaction(
          unsigned,
          signatures.map((signature, at) => ({ signature, publicKey: keys[at] ?? assert.fail("no key") }))
        )

        const theirs = Transaction.fromBuffer(bytes)
        for (const [at, { amount }] of coins.entries()) {
          const publicKey = keys[at] ?? assert.fail("no key")
          const code = payments.p2pkh({ pubkey: publicKey }).output ?? assert.fail("no script")
          const digest = theirs.hashForWitnessV0(at, code, amount, Transaction.SIGHASH_ALL)
          assert.deepStrictEqual(Uint8Array.from(digest), digests[at])
          const [signature, key] = theirs.ins[at]?.witness ?? []
          assert.deepStrictEqual(key === undefined ? undefined : Uint8Array.from(key), publicKey)
          const read = scripts.signature.decode(signature ?? assert.fail("no signature"))
          assert.deepStrictEqual(Uint8Array.from(read.signature), signatures[at])
        }
        assert.strictEqual(theirs.getId(), id)
        assert.deepStrictEqual(Uint8Array.from(theirs.toBuffer()), bytes)
        assert.strictEqual(readBtcTransaction(bytes)?.id, id)
        const most = virtualBytesOf(weightOf(coins.map(() => "P2WPKH"), outputs.map((each) => each.script)))
        assert.isAtMost(theirs.virtualSize(), most)
      }),
      { numRuns: inputs(100, 5_000) }
    )
  })
})
