/**
 * Reads the state of a deposit, for any family. An answer that cannot be taken back (final, gone) needs the quorum
 * (QUORUM-5).
 */
import { isClosing, standingRule } from "../../src/domain/transfer/deposit/Standing.ts"
import type { Standing } from "../../src/domain/transfer/deposit/Standing.ts"
import type { WitnessedRead } from "./QuorumReading.ts"

/**
 * How a deposit is rechecked: one endpoint first, and the quorum where the answer could not be taken back (QUORUM-5).
 */
export const depositRead = <Client>(call: (client: Client) => Promise<Standing>): WitnessedRead<Client, Standing> => ({
  operation: "deposit standing",
  call,
  rule: standingRule,
  rests: isClosing
})
