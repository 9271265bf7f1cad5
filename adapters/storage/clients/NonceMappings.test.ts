import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { NonceMappings } from "../../../ports/store/clients/NonceMappings.ts"
import { Address } from "../../../src/domain/chain/Address.ts"
import { ChainSlug } from "../../../src/domain/chain/ChainId.ts"
import { Hex, Hex32 } from "../../../src/domain/encoding/Hex.ts"
import type { KeptNonceMapping } from "../../../src/domain/nonce-mapping/NonceMapping.ts"
import { describeStores } from "../testing/stores.ts"

const wallet = Address.make(`0x${"a1".repeat(20)}`)
const chain = ChainSlug.make("exchangea")
const idOf = (number: number) => Hex32.make(`0x${number.toString(16).padStart(64, "0")}`)
const mapping = (changes: Partial<KeptNonceMapping> = {}): KeptNonceMapping => ({
  chain,
  wallet,
  depositor: wallet,
  nonce: 1n << 200n,
  id: idOf(1),
  signatureChainId: 42_161,
  signature: Hex.make(`0x${"5e".repeat(65)}`),
  createdAt: 7,
  ...changes
})

describeStores(({ test }) => {
  test(
    "keeps the first mapping of a wallet's nonce for ever, under concurrency",
    Effect.gen(function*() {
      const mappings = yield* NonceMappings
      const all = Array.from({ length: 16 }, (_, index) => mapping({ id: idOf(index), createdAt: index }))
      const kept = yield* Effect.forEach(all, mappings.keep, { concurrency: "unbounded" })
      assert.strictEqual(new Set(kept.map(({ id }) => id)).size, 1)
      const [first] = kept
      assert.deepStrictEqual(yield* mappings.find(chain, wallet, 1n << 200n), first)
      assert.deepStrictEqual(yield* mappings.keep(mapping({ id: idOf(99) })), first)
      const others = [
        mapping({ nonce: 2n }),
        mapping({ chain: ChainSlug.make("exchangea-testnet") }),
        mapping({ wallet: Address.make(`0x${"b2".repeat(20)}`), depositor: Address.make(`0x${"b2".repeat(20)}`) })
      ]
      for (const other of others) {
        assert.isUndefined(yield* mappings.find(other.chain, other.wallet, other.nonce))
        assert.deepStrictEqual(yield* mappings.keep(other), other)
        assert.deepStrictEqual(yield* mappings.find(other.chain, other.wallet, other.nonce), other)
      }
    })
  )
})
