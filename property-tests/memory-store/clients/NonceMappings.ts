/** The port `NonceMappings` in memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { NonceMappings } from "../../../ports/store/clients/NonceMappings.ts"
import { MemoryStore } from "../MemoryStore.ts"
import { keyOf } from "../Tables.ts"

export const layer = Layer.effect(
  NonceMappings,
  Effect.map(MemoryStore, ({ call }) =>
    NonceMappings.of({
      keep: ({ chain, createdAt, id, nonce, signature, signatureChainId, wallet }) =>
        call("NonceMappings.keep", ({ nonceMappings }) => {
          const key = keyOf(chain, wallet, nonce)
          const known = nonceMappings.get(key)
          if (known !== undefined) return known
          // A wallet is its own depositor.
          const kept = { chain, wallet, depositor: wallet, nonce, id, signatureChainId, signature, createdAt }
          nonceMappings.add(key, kept)
          return kept
        }),
      find: (chain, wallet, nonce) =>
        call("NonceMappings.find", ({ nonceMappings }) => nonceMappings.get(keyOf(chain, wallet, nonce)))
    }))
)
