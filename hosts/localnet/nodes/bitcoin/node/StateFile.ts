/**
 * A chain in a file, complete or absent: the blocks of its best branch, and the pending transactions. It is validated
 * again when it is read.
 */
import { Effect, Option, Schema } from "effect"
import * as AtomicFile from "../../../run/state/AtomicFile.ts"
import type { LocalnetError } from "../../../run/LocalnetError.ts"
import type { Chain, KeptChain } from "./Chain.ts"

const State = Schema.Struct({
  version: Schema.Literal(1),
  blocks: Schema.Array(Schema.Uint8ArrayFromBase64),
  waiting: Schema.Array(Schema.Uint8ArrayFromBase64)
})

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64")

export const write = (path: string, chain: Chain): Effect.Effect<void, LocalnetError> =>
  Effect.suspend(() => {
    const blocks = chain.ledger.blocks.slice(1).map(({ raw }) => base64(raw))
    return AtomicFile.write(
      path,
      `${
        JSON.stringify({
          version: 1,
          blocks,
          waiting: chain.waiting().map(({ raw }) => base64(raw))
        })
      }\n`
    )
  })

/** The file's content. Undefined when there is no file. Errors: damaged. */
export const read = (path: string): Effect.Effect<KeptChain | undefined, LocalnetError> =>
  Effect.map(
    AtomicFile.readJson(path, State),
    Option.match({ onNone: () => undefined, onSome: ({ blocks, waiting }) => ({ blocks, waiting }) })
  )
