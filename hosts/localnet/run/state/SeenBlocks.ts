/**
 * The last block of each chain that the transfer service's store has seen.
 *
 * Reads the store's own table of cursors (adapters/storage/migrations), while no other process has the store open. A
 * new store has seen nothing.
 */
import { Effect, Schema } from "effect"
import { DatabaseSync } from "node:sqlite"
import { LocalnetError, reasonOf } from "../LocalnetError.ts"

const Row = Schema.Struct({ chain_id: Schema.Int, height: Schema.BigIntFromString, hash: Schema.String })

export interface SeenBlock {
  readonly chainId: number
  readonly height: bigint
  readonly hash: string
}

const rowsOf = (path: string): ReadonlyArray<unknown> => {
  const store = new DatabaseSync(path)
  try {
    const used = store.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'cursors'").get()
    return used === undefined ? [] : store.prepare("SELECT chain_id, height, hash FROM cursors").all()
  } finally {
    store.close()
  }
}

/** At most one block for each chain. Errors: the store cannot be read. */
export const seenBlocks = (path: string): Effect.Effect<ReadonlyArray<SeenBlock>, LocalnetError> =>
  Effect.try({ try: () => rowsOf(path), catch: reasonOf }).pipe(
    Effect.flatMap(Schema.decodeUnknownEffect(Schema.Array(Row))),
    Effect.map((rows) => rows.map(({ chain_id, ...row }) => ({ chainId: chain_id, ...row }))),
    Effect.mapError((error) => new LocalnetError({ message: `${path}: ${reasonOf(error)}` }))
  )
