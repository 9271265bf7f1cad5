/** How the standing of a deposit is read, for any family: what cannot be taken back needs the quorum (QUORUM-5). */
import { isClosing, standingRule } from "../../src/domain/transfer/deposit/Standing.ts"
import type { Standing } from "../../src/domain/transfer/deposit/Standing.ts"
import type { WitnessedRead } from "./QuorumReading.ts"

export const depositRead = <Client>(call: (client: Client) => Promise<Standing>): WitnessedRead<Client, Standing> => ({
  operation: "deposit standing",
  call,
  rule: standingRule,
  rests: isClosing
})
