/** secp256k1 as this process computes it. The answers equal the domain's own; only the speed differs. */
import * as Context from "effect/Context"
import type { Signatures as Functions } from "../../src/domain/encoding/Signature.ts"

/** Makes and recovers secp256k1 signatures: the domain's answers, computed faster. */
export class Signatures extends Context.Service<
  Signatures,
  Functions & {
    /** Which library computes them. Logged at start. */
    readonly engine: "libsecp256k1" | "noble"
  }
>()("causeway/ports/Signatures") {}
