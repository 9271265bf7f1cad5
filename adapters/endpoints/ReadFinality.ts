/**
 * Reads a chain's finality, for any family. One endpoint is asked first. An answer that would halt the chain or be
 * remembered as final is read again under the quorum.
 */
import { Effect } from "effect"
import type { ChainUnavailable } from "../../ports/chain/ChainUnavailable.ts"
import type { Cursor, FinalityAsked } from "../../ports/chain/DepositWatcher.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import { finalityRule } from "../../src/domain/chain/FinalityNow.ts"
import type { FinalityNow } from "../../src/domain/chain/FinalityNow.ts"
import type { Rotation } from "./Rotation.ts"

const OPERATION = "finality"

/** `readOne`: the block at a height and the newest final block, as one endpoint shows them. */
export const readFinality = Effect.fnUntraced(function*<Client>(
  rpc: Rotation<Client>,
  chain: Chain,
  remembered: Cursor | undefined,
  asked: FinalityAsked = "newest",
  readOne: (client: Client, height: bigint | undefined) => Promise<FinalityNow>
): Effect.fn.Return<FinalityNow, ChainUnavailable> {
  const one: FinalityNow = yield* rpc.call(chain, OPERATION, (client) => readOne(client, remembered?.height))
  if (rpc.isAlone(chain)) return asked === "standing" ? { ...one, newest: undefined } : one
  const under = (height: bigint) =>
    rpc.witnessed(chain, {
      operation: OPERATION,
      call: (client) => readOne(client, height),
      rule: finalityRule(height),
      rests: () => true
    }, "quorum")
  const isReplaced = remembered !== undefined && one.found !== undefined && one.found !== remembered.hash
  // One endpoint alone halts no chain.
  if (isReplaced) return { found: (yield* under(remembered.height)).found, newest: undefined }
  const { found, newest } = one
  if (asked === "standing") return { found, newest: undefined }
  if (newest === undefined || newest.height <= (remembered?.height ?? -1n)) return one
  const agreed = yield* under(newest.height)
  const isFinal = agreed.found === newest.hash && agreed.newest !== undefined && agreed.newest.height >= newest.height
  return { found, newest: isFinal ? newest : undefined }
})
