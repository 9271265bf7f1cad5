/**
 * A chain in a file, complete or absent: its signed transactions and the times of its blocks. They are executed again
 * when it is read.
 */
import { Effect, Option, Schema } from "effect"
import * as AtomicFile from "../../../run/state/AtomicFile.ts"
import type { LocalnetError } from "../../../run/LocalnetError.ts"
import type { Chain, KeptChain } from "./Chain.ts"
import { Transaction } from "./Transaction.ts"

const State = Schema.Struct({
  /** 2: transactions burn fees. */
  version: Schema.Literal(2),
  genesisTimestamp: Schema.Int,
  blocks: Schema.Array(
    Schema.Struct({ timestamp: Schema.Int, branch: Schema.Int, transactions: Schema.Array(Transaction) })
  ),
  waiting: Schema.Array(Transaction)
})

export const write = (path: string, chain: Chain): Effect.Effect<void, LocalnetError> =>
  Effect.suspend(() => AtomicFile.write(path, `${JSON.stringify({ version: 2, ...chain.kept() })}\n`))

/** The file's content. Undefined when there is no file. Errors: damaged. */
export const read = (path: string): Effect.Effect<KeptChain | undefined, LocalnetError> =>
  Effect.map(AtomicFile.readJson(path, State), Option.getOrUndefined)
