/** The port `WalletChallenges` in memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { WalletChallenges } from "../../../ports/store/clients/WalletChallenges.ts"
import { MemoryStore } from "../MemoryStore.ts"

/** How long an expired challenge is kept, so that its message is refused for the right reason. */
const KEPT_MS = 3_600_000

export const layer = Layer.effect(
  WalletChallenges,
  Effect.map(MemoryStore, ({ call }) =>
    WalletChallenges.of({
      add: (challenge) =>
        call("WalletChallenges.add", ({ challenges }) => {
          for (const { challenge: { expiresAt, nonce } } of challenges.all()) {
            if (expiresAt < challenge.issuedAt - KEPT_MS) challenges.remove(nonce)
          }
          challenges.add(challenge.nonce, { challenge, isUsed: false })
        }),
      find: (nonce) => call("WalletChallenges.find", ({ challenges }) => challenges.get(nonce)),
      use: (nonce, at) =>
        call("WalletChallenges.use", ({ challenges }) => {
          const kept = challenges.get(nonce)
          if (kept === undefined || kept.isUsed || kept.challenge.expiresAt <= at) return false
          challenges.set(nonce, { ...kept, isUsed: true })
          return true
        })
    }))
)
