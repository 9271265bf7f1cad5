/** Reads from an EVM chain's node the facts that its configuration is checked against. */
import type { FamilyCheck } from "../quorum/ReadingFacts.ts"
import { readEvm } from "../quorum/rpc/EvmFacts.ts"
import { makeAnsweringRpc } from "../quorum/rpc/JsonRpc.ts"
import type { AnsweringRpc } from "../quorum/rpc/JsonRpc.ts"

export const check: FamilyCheck<AnsweringRpc> = {
  open: (url) => makeAnsweringRpc(url),
  read: readEvm({ digitsOf: (account) => account.slice(2).toLowerCase(), accountOf: (digits) => `0x${digits}` })
}
