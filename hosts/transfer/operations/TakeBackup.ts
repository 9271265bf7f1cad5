/** Copies the embedded store to a new file while the service runs. */
import { Effect } from "effect"
import { backup } from "../../../adapters/storage/engine/Backup.ts"
import { answer } from "../../cli/Program.ts"
import { operation, storeFile } from "./Operation.ts"

/** Fails when the target exists, or the store is PostgreSQL. */
export const takeBackup = (target: string) =>
  operation(Effect.gen(function*() {
    yield* backup(yield* storeFile, target)
    yield* answer({ file: target }, `the store is in ${target}`)
  }))
