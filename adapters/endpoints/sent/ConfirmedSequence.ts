/**
 * The next free sequence of a paying account, for any family whose chains number an account's transactions.
 *
 * SECURITY: no endpoint alone may name a sequence that the chain has not reached. A payment would be signed with it,
 * and it and all that follow would wait for ever for the missing ones. One that names too low a sequence does no harm:
 * the store counts what it has signed.
 */
import type { Effect } from "effect"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { Rotation } from "../Rotation.ts"

const OPERATION = "sequence of the account"

/** The highest sequence that as many as needed have reached. Undefined before as many have answered. */
const reachedBy = (answers: ReadonlyArray<bigint>, needed: number): bigint | undefined =>
  answers.toSorted((one, other) => one === other ? 0 : one > other ? -1 : 1)[needed - 1]

/**
 * `readOne`: the account's next sequence as one endpoint shows it, or another number of which no endpoint alone may name
 * too high a one (`operation`).
 */
export const confirmedSequence = <Client>(
  rpc: Rotation<Client>,
  chain: Chain,
  readOne: (client: Client) => Promise<bigint>,
  operation: string = OPERATION
): Effect.Effect<bigint, ChainUnavailable> =>
  rpc.isAlone(chain) ? rpc.call(chain, operation, readOne) : rpc.agreed(chain, operation, readOne, reachedBy)
