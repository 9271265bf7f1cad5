/** Where API keys are kept, by their hashes. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ApiKey } from "../src/domain/api-key/ApiKey.ts"
import type { Hex32 } from "../src/domain/chain/Hex.ts"
import type { StoreUnavailable } from "./StoreUnavailable.ts"

export class ApiKeys extends Context.Service<ApiKeys, {
  /** Durable once it returns. `at` in milliseconds. */
  readonly add: (key: ApiKey, hash: Hex32, at: number) => Effect.Effect<void, StoreUnavailable>
  /** The key with this hash, as of now: a revoked one is found no more. */
  readonly find: (hash: Hex32) => Effect.Effect<ApiKey | undefined, StoreUnavailable>
}>()("causeway/ports/ApiKeys") {}
