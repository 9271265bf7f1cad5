/**
 * Reads the one fact of a Bitcoin chain that its configuration is checked against: which chain it is, by the block
 * that identifies it.
 */
import { Effect, Schema } from "effect"
import { NO_ANSWER } from "../../src/domain/configuration/Expectation.ts"
import type { FamilyCheck } from "../quorum/ReadingFacts.ts"
import { identityCall, openCore, resultOf } from "./rpc/CoreRpc.ts"
import type { CoreRpc } from "./rpc/CoreRpc.ts"

const hashOf = resultOf(Schema.String)

export const check: FamilyCheck<CoreRpc> = {
  open: openCore,
  read: (rpc, chain, asked, deadline) =>
    Effect.map(
      Effect.flatMap(rpc.answers([identityCall(chain)], deadline), ([answer]) => hashOf(answer)),
      (hash) => asked.map(({ _tag }) => _tag === "Network" ? hash : NO_ANSWER)
    )
}
