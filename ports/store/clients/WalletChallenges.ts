/** What wallets were asked to sign: durable, because another process may get the answer. Times in milliseconds. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { KeptChallenge } from "../../../src/domain/api-key/JudgeSignIn.ts"
import type { WalletChallenge } from "../../../src/domain/api-key/WalletChallenge.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

export class WalletChallenges extends Context.Service<WalletChallenges, {
  /** Durable once it returns. Forgets those that ended an hour before this one was made. */
  readonly add: (challenge: WalletChallenge) => Effect.Effect<void, StoreUnavailable>
  readonly find: (nonce: string) => Effect.Effect<KeptChallenge | undefined, StoreUnavailable>
  /** True for one caller, once, before the challenge ends: who gets it may act upon the message. */
  readonly use: (nonce: string, at: number) => Effect.Effect<boolean, StoreUnavailable>
}>()("causeway/ports/WalletChallenges") {}
