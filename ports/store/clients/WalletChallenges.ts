/**
 * Challenges that wallets were asked to sign. They are durable, because another process may receive the answer. Times
 * are in milliseconds.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { KeptChallenge } from "../../../src/domain/api-key/JudgeSignIn.ts"
import type { WalletChallenge } from "../../../src/domain/api-key/WalletChallenge.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** Messages that wallets were asked to sign. Each can be used once, until it expires. */
export class WalletChallenges extends Context.Service<WalletChallenges, {
  /** Durable once it returns. Also deletes challenges that expired an hour before this one was made. */
  readonly add: (challenge: WalletChallenge) => Effect.Effect<void, StoreUnavailable>
  readonly find: (nonce: string) => Effect.Effect<KeptChallenge | undefined, StoreUnavailable>
  /** True for exactly one caller, once, before the challenge expires. That caller may act on the message. */
  readonly use: (nonce: string, at: number) => Effect.Effect<boolean, StoreUnavailable>
}>()("causeway/ports/WalletChallenges") {}
